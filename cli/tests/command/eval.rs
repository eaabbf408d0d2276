//! Tests `indim eval` on the available adapter. Without an adapter these tests fail rather than
//! being skipped.
use indim::{ElementType, OpClass, Opcode};
use indim_testing::share;
use serde_json::Value;

use crate::common::{Outcome, Scratch, error, eval, indim, with_stdin};

/// The first line, and the rest on one line.
fn value(args: &[&str]) -> (String, String) {
    let printed = eval(args);
    let (head, body) = printed.split_once('\n').unwrap();
    (head.to_owned(), body.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Checks a share of these calls of `indim eval`, each of which is a process of its own.
fn check(cases: &[(&[&str], &str, &str)]) {
    for (args, head, body) in cases.iter().step_by(share::one_of(3)) {
        assert_eq!(value(args), ((*head).to_owned(), (*body).to_owned()), "{args:?}");
    }
}

#[test]
fn the_document_s_first_example() {
    assert_eq!(
        eval(&["x + in_dim(v, 1)", "x=[[1,2,3],[4,5,6]]", "v=[7,8,9]"]),
        "f32[2,3]\n[[ 8. 10. 12.]\n [11. 13. 15.]]\n"
    );
}

#[test]
fn parentheses_go_around_anything() {
    check(&[
        (&["(x) + 1", "x=[1,2]"], "f32[2]", "[2. 3.]"),
        (&["-((x)) * ( # the same\n\tx )", "x=[1,2]"], "f32[2]", "[-1. -4.]"),
        (&["exp((x - (x)))", "x=[1,2]"], "f32[2]", "[1. 1.]"),
        (&["x + in_dim((v), (1))", "x=[[1,2]]", "v=[1,2]"], "f32[1,2]", "[[2. 4.]]"),
        (&["convert((x), (s32))", "x=[1.5]"], "s32[1]", "[1]"),
        (&["(true) & (p)", "p=pred:[true,false]"], "pred[2]", "[ True False]"),
    ]);
}

#[test]
fn symbols_mean_what_xla_s_operations_do() {
    let s32 = ["a=s32:[7,-7,5,-2147483648]", "b=s32:[2,2,0,-1]"];
    let both = |expr: &'static str| [expr, s32[0], s32[1]];
    check(&[
        (&both("a / b"), "s32[4]", "[ 3 -3 -1 -2147483648]"),
        (&both("a % b"), "s32[4]", "[ 1 -1 5 0]"),
        (&both("a - b"), "s32[4]", "[ 5 -9 5 -2147483647]"),
        (&both("a & b"), "s32[4]", "[ 2 0 0 -2147483648]"),
        (&both("a | b"), "s32[4]", "[ 7 -5 5 -1]"),
        (&both("a ^ b"), "s32[4]", "[ 5 -5 5 2147483647]"),
        (&["~a", s32[0]], "s32[4]", "[ -8 6 -6 2147483647]"),
        (&["a << 33", s32[0]], "s32[4]", "[0 0 0 0]"),
        (&["a >> 1", s32[0]], "s32[4]", "[ 3 -4 2 -1073741824]"),
        (&["shift_right_logical(a, 1)", s32[0]], "s32[4]", "[ 3 2147483644 2 1073741824]"),
        (&["a >> 1", "a=u32:[4294967288,7]"], "u32[2]", "[2147483644 3]"),
        (&["a ** 2", s32[0]], "s32[4]", "[49 49 25 0]"),
        (&both("a < b"), "pred[4]", "[False True False True]"),
        (&["x % y", "x=[-7.5,7.5,1]", "y=[2,-2,inf]"], "f32[3]", "[-1.5 1.5 1. ]"),
        (&["x / y", "x=[1,-1,0]", "y=[0,0,0]"], "f32[3]", "[ inf -inf nan]"),
        (
            &["p & q | ~p", "p=pred:[true,true,false]", "q=pred:[1,0,0]"],
            "pred[3]",
            "[ True False True]",
        ),
        (&["x == x", "x=[nan,1]"], "pred[2]", "[False True]"),
        (&["x != x", "x=[nan,1]"], "pred[2]", "[ True False]"),
        (&["eq_total_order(x, x)", "x=[nan,1]"], "pred[2]", "[ True True]"),
        (&["lt_total_order(x, y)", "x=[-0.0,0.0]", "y=[0.0,-0.0]"], "pred[2]", "[ True False]"),
    ]);
}

#[test]
fn precedence_is_python_s() {
    check(&[
        (&["-x**2", "x=[3]"], "f32[1]", "[-9.]"),
        (&["2**-1"], "f32[]", "0.5"),
        (&["2**3**2"], "f32[]", "512.0"),
        (&["1 + 2 * 3 - 4 / 2"], "f32[]", "5.0"),
        (&["x & 3 == 3", "x=s32:[7,4]"], "pred[2]", "[ True False]"),
        (&["1 | x ^ x & 2", "x=s32:[7]"], "s32[1]", "[5]"),
        (&["(x > 1) & (x < 3)", "x=[1,2,3]"], "pred[3]", "[False True False]"),
        (&["~x << 1", "x=s32:[1]"], "s32[1]", "[-4]"),
        (&["- - -x", "x=[1]"], "f32[1]", "[-1.]"),
        (&["+x - +1", "x=[1]"], "f32[1]", "[0.]"),
    ]);
}

#[test]
fn bare_numbers_take_the_other_operand_s_type() {
    check(&[
        (&["x + 1", "x=s32:[1]"], "s32[1]", "[2]"),
        (&["1e3 - x", "x=s32:[1]"], "s32[1]", "[999]"),
        (&["x & 0xFF", "x=u32:[4294967295]"], "u32[1]", "[255]"),
        (&["x + -1", "x=s32:[1]"], "s32[1]", "[0]"),
        (&["x + 0.1", "x=[0]"], "f32[1]", "[0.1]"),
        (&["x == -2147483648", "x=s32:[-2147483648]"], "pred[1]", "[ True]"),
        (&["p & 1", "p=pred:[true,false]"], "pred[2]", "[ True False]"),
        (&["p ^ true", "p=pred:[true,false]"], "pred[2]", "[False True]"),
        (&["1 + 2"], "f32[]", "3.0"),
        (&["7"], "f32[]", "7.0"),
        (&["true"], "pred[]", "True"),
        (&["max(x, 0)", "x=s32:[-1,1]"], "s32[2]", "[0 1]"),
        (&["clamp(0, x, 1)", "x=[-1,0.5,2]"], "f32[3]", "[0. 0.5 1. ]"),
        (&["clamp(x, 5, 7)", "x=s32:6"], "s32[]", "6"),
        (&["select(p, x, 0)", "p=pred:[1,0]", "x=u32:[5,5]"], "u32[2]", "[5 0]"),
        (&["select(p, 1, 2)", "p=pred:[1,0]"], "f32[2]", "[1. 2.]"),
        (&["select(1, x, 2)", "x=[5]"], "f32[1]", "[5.]"),
        (&["x * inf - nan", "x=[1]"], "f32[1]", "[nan]"),
        (&["convert(16777217, s32)"], "s32[]", "16777217"),
        (&["convert(1.5, s32)"], "s32[]", "1"),
        (&["bitcast_convert(1, s32)"], "s32[]", "1065353216"),
        (&["x + in_dim(1)", "x=s32:[1]"], "s32[1]", "[2]"),
    ]);
}

#[test]
fn functions_are_the_op_table_s() {
    // Every unary and binary operation can be called by its method's name; for each type, one
    // expression has all of them, so none is unknown or rejected.
    let types = [
        ("x=[0.5]", ElementType::F32),
        ("x=s32:[5]", ElementType::S32),
        ("x=u8:[5]", ElementType::U8),
    ];
    for (x, to) in types.into_iter().step_by(share::one_of(5)) {
        let calls = Opcode::ALL.iter().filter(|opcode| opcode.accepts(to)).filter_map(|opcode| {
            let method = opcode.method();
            match opcode.class() {
                OpClass::Unary => Some(format!("convert({method}(x), {to})")),
                OpClass::Binary | OpClass::Compare => {
                    Some(format!("convert({method}(x, x), {to})"))
                }
                _ => None,
            }
        });
        let calls: Vec<String> = calls.collect();
        assert!(calls.len() > 15, "{to}");
        assert!(eval(&[&calls.join(" + "), x]).starts_with(&format!("{to}[1]\n[")));
    }
    // Those that reduce are called along dimensions.
    let operations = indim(&["ops", "--json"]).stdout;
    let rows = operations.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let reductions: Vec<Value> = rows.filter(|row| row["class"] == "reduce").collect();
    assert_eq!(reductions.len(), 7);
    for row in reductions.iter().step_by(share::one_of(6)) {
        let of = row["types"][0].as_str().unwrap();
        let method = row["method"].as_str().unwrap();
        eval(&[&format!("{method}(convert(x, {of}), [1])"), "x=[[1,0],[0,1]]"]);
    }
    check(&[
        (&["convert(x, s32)", "x=[1.9,-1.9,nan,1e20]"], "s32[4]", "[ 1 -1 0 2147483647]"),
        (&["convert_element_type(x, pred)", "x=s32:[0,2]"], "pred[2]", "[False True]"),
        (&["bitcast_convert_type(x, u32)", "x=[-1]"], "u32[1]", "[3212836864]"),
        (&["round_nearest_even(x)", "x=[0.5,1.5,-2.5]"], "f32[3]", "[ 0. 2. -2.]"),
        (&["is_finite(x)", "x=[1,inf,nan]"], "pred[3]", "[ True False False]"),
        (&["broadcast(x, 2, 3)", "x=7"], "f32[2,3]", "[[7. 7. 7.] [7. 7. 7.]]"),
        (&["broadcast(x, [2])", "x=[1,2]"], "f32[2,2]", "[[1. 2.] [1. 2.]]"),
        (&["broadcast_in_dim(v, [2,3], [0])", "v=[1,2]"], "f32[2,3]", "[[1. 1. 1.] [2. 2. 2.]]"),
        (&["transpose(x, [1, 0])", "x=s32:iota:2x3"], "s32[3,2]", "[[0 3] [1 4] [2 5]]"),
        (&["transpose(x, 1, 0) + 1", "x=s32:iota:2x3"], "s32[3,2]", "[[1 4] [2 5] [3 6]]"),
        (&["slice(x, [0, 1], [2, 3])", "x=s32:iota:2x3"], "s32[2,2]", "[[1 2] [4 5]]"),
        (&["slice(x, [1], [6], [2])", "x=s32:iota:6"], "s32[3]", "[1 3 5]"),
        (&["reverse(x, [1])", "x=s32:iota:2x3"], "s32[2,3]", "[[2 1 0] [5 4 3]]"),
        (&["reverse(-x, 0)", "x=s32:iota:3"], "s32[3]", "[-2 -1 0]"),
        (&["roll(x, 1, 0)", "x=s32:iota:2x3"], "s32[2,3]", "[[3 4 5] [0 1 2]]"),
        (&["roll(x, [1, -1], [0, 1])", "x=s32:iota:2x3"], "s32[2,3]", "[[4 5 3] [1 2 0]]"),
        (&["take(x, i, 0)", "x=[1,2,3]", "i=s32:[2,0,-1,9]"], "f32[4]", "[3. 1. 1. 3.]"),
        (&["take(x, 1, 1)", "x=s32:iota:2x3"], "s32[2]", "[1 4]"),
        (
            &["take_along_dimension(x, i, 1)", "x=s32:iota:2x3", "i=u8:[[2],[0]]"],
            "s32[2,1]",
            "[[2] [3]]",
        ),
        (&["roll(x, 2)", "x=s32:iota:2x3"], "s32[2,3]", "[[4 5 0] [1 2 3]]"),
        (&["pad(x, 7, [1], [2])", "x=u8:iota:2"], "u8[5]", "[7 0 1 7 7]"),
        (&["pad(x, -1, [-1], [1], [1])", "x=s32:iota:3"], "s32[5]", "[-1 1 -1 2 -1]"),
        (&["concatenate(x, -x, x, 0)", "x=s32:iota:2"], "s32[6]", "[ 0 1 0 -1 0 1]"),
        (&["pad(x, 0, [0], [-3]) + 1", "x=s32:iota:3"], "s32[0]", "[]"),
        (&["reshape(x, [3, 2])", "x=s32:iota:2x3"], "s32[3,2]", "[[0 1] [2 3] [4 5]]"),
        (
            &["x + reshape(transpose(x, [1, 0]), [2, 3])", "x=s32:iota:2x3"],
            "s32[2,3]",
            "[[ 0 4 3] [ 7 6 10]]",
        ),
        (&["argmax(x, 1)", "x=[[1,3,2],[4,nan,6]]"], "s32[2]", "[1 1]"),
        (&["mean(x, [0, 1]) + var(x, 0, 1)", "x=[[1,2],[3,4]]"], "f32[]", "3.75"),
        (&["softmax(x, 0)", "x=[0,0]"], "f32[2]", "[0.5 0.5]"),
        (&["rms_norm(x, [0], 0)", "x=[3,-3]"], "f32[2]", "[ 1. -1.]"),
        // JAX's numbers.
        (&["random_randint(random_key(42), 1, 7, [4])"], "s32[4]", "[1 1 4 2]"),
        (&["random_bits(k, u8, 3)", "k=u32:[0,42]"], "u8[3]", "[162 217 249]"),
        (
            &["random_split(random_key(42), 2)"],
            "u32[2,2]",
            "[[1832780943 270669613] [ 64467757 2916123636]]",
        ),
        (&["random_fold_in(random_key(42), 7)"], "u32[2]", "[2547012911 1371500959]"),
        (&["random_uniform(random_key(42), -2, 2, [2])"], "f32[2]", "[-0.04516172 0.7191887 ]"),
        (&["random_bernoulli(random_key(42), 1, 2, 1)"], "pred[2,1]", "[[ True] [ True]]"),
        (&["random_normal(random_key(42), f16, 0)"], "f16[0]", "[]"),
        (&["iota(s32, [2,3], 1)"], "s32[2,3]", "[[0 1 2] [0 1 2]]"),
        (&["iota(f32, [2,3], 0) * 2"], "f32[2,3]", "[[0. 0. 0.] [2. 2. 2.]]"),
        (&["pow(x, y)", "x=[-2]", "y=[3]"], "f32[1]", "[-8.]"),
        (&["add(x, v, [1])", "x=iota:2x2", "v=[10,20]"], "f32[2,2]", "[[10. 21.] [12. 23.]]"),
    ]);
}

#[test]
fn every_element_type_is_computed() {
    check(&[
        (&["x + 1", "x=u8:[1,255]"], "u8[2]", "[2 0]"),
        (&["x - 1", "x=s4:[-8,7]"], "s4[2]", "[7 6]"),
        (&["x >> 1", "x=u16:[65535]"], "u16[1]", "[32767]"),
        (&["x >> 1", "x=s16:[-2]"], "s16[1]", "[-1]"),
        (&["x * x", "x=s64:[4294967296,3037000499]"], "s64[2]", "[ 0 9223372030926249001]"),
        (&["x / 10", "x=u64:[18446744073709551615]"], "u64[1]", "[1844674407370955161]"),
        (&["x / 3", "x=f16:[1,2]"], "f16[2]", "[0.3333 0.6665]"),
        (&["x + 0.5", "x=bf16:[256,1]"], "bf16[2]", "[256. 1.5]"),
        (&["x == 1", "x=bf16:[1,2]"], "pred[2]", "[ True False]"),
        (&["convert(x, s8)", "x=[300,-1.5,nan]"], "s8[3]", "[127 -1 0]"),
        (&["bitcast(x, u8)", "x=[1]"], "u8[1,4]", "[[ 0 0 128 63]]"),
        (&["bitcast(x, f32)", "x=u8:[[0,0,128,63]]"], "f32[1]", "[1.]"),
        (&["abs(z)", "z=[3+4i, -5i]"], "f32[2]", "[5. 5.]"),
        (&["conj(z) * 1j", "z=1+2i"], "c64[]", "(2+1j)"),
        (&["complex(x, 2)", "x=[1,-0.5]"], "c64[2]", "[ 1. +2.j -0.5+2.j]"),
        (&["real(z) + imag(z)", "z=[(1-2j), 3]"], "f32[2]", "[-1. 3.]"),
    ]);
}

/// If the adapter has no 64-bit floats, the error names that, with help.
#[test]
fn f64_is_computed_or_refused_by_name() {
    let outcome = indim(&["eval", "x / 3", "x=f8.npy"]);
    let computed = outcome.stdout.starts_with("f64[2,3]\n");
    let said = outcome.stderr.contains("SHADER_F64") && outcome.stderr.contains("use f32");
    assert!(computed != said, "{outcome:?}");
    if computed {
        check(&[
            (&["x + 0.1", "x=f64:[0.2]"], "f64[1]", "[0.3]"),
            (&["x + 0.1 == 0.30000000000000004", "x=f64:[0.2]"], "pred[1]", "[ True]"),
            (&["max(x, -inf)", "x=f64:1e300"], "f64[]", "1e+300"),
        ]);
    }
}

#[test]
fn numbers_may_name_their_type() {
    check(&[
        (&["3u8 + 254u8"], "u8[]", "1"),
        (&["x * 2.5bf16", "x=bf16:[2]"], "bf16[1]", "[5.]"),
        (&["-1s64"], "s64[]", "-1"),
        (&["0xffu8"], "u8[]", "255"),
        (&["(1+2i) * (1-2i)"], "c64[]", "(5+0j)"),
        (&["x + 1", "x=[2u16, 3]"], "u16[2]", "[3 4]"),
        (&["x", "x=1f16"], "f16[]", "1.0"),
        (&["-inf + x", "x=f16:1"], "f16[]", "-inf"),
        (&["convert(inf, bf16)"], "bf16[]", "inf"),
        (&["-inff16"], "f16[]", "-inf"),
        (&["nanbf16 + x", "x=bf16:1"], "bf16[]", "nan"),
        (&["inff64 > x", "x=f64:1"], "pred[]", "True"),
        (&["inff16", "inff16=2"], "f32[]", "2.0"),
    ]);
}

#[test]
fn names_of_operands_come_first() {
    check(&[
        (&["exp + exp(exp)", "exp=[0]"], "f32[1]", "[1.]"),
        (&["inf + true", "inf=[1]", "true=[2]"], "f32[1]", "[3.]"),
        (&["größe_1 * 2", "größe_1=[1]"], "f32[1]", "[2.]"),
    ]);
}

#[test]
fn broadcasting_is_explicit() {
    let x = "x=[[1,2,3],[4,5,6]]";
    check(&[
        (&["x + in_dim(w, 0)", x, "w=[10,20]"], "f32[2,3]", "[[11. 12. 13.] [24. 25. 26.]]"),
        (&["in_dim(w, 0) - x", x, "w=[10,20]"], "f32[2,3]", "[[ 9. 8. 7.] [16. 15. 14.]]"),
        (&["x + in_dim(x, 0, 1)", x], "f32[2,3]", "[[ 2. 4. 6.] [ 8. 10. 12.]]"),
        (&["x + 7", x], "f32[2,3]", "[[ 8. 9. 10.] [11. 12. 13.]]"),
        (&["x + s", x, "s=7"], "f32[2,3]", "[[ 8. 9. 10.] [11. 12. 13.]]"),
        // XLA's document: degenerate dimensions, outer operation, composition.
        (&["a * b", "a=[[1],[2]]", "b=[[10,20,30]]"], "f32[2,3]", "[[10. 20. 30.] [20. 40. 60.]]"),
        (
            &["in_dim(v, 0) + m", "v=[1,2,3,4]", "m=[[5,6]]"],
            "f32[4,2]",
            "[[ 6. 7.] [ 7. 8.] [ 8. 9.] [ 9. 10.]]",
        ),
        (
            &["max(x, in_dim(v, 1)) > 4", x, "v=[3,4,5]"],
            "pred[2,3]",
            "[[False False True] [False True True]]",
        ),
        (&["x + in_dim(v * 2, 1)", x, "v=[1,1,1]"], "f32[2,3]", "[[3. 4. 5.] [6. 7. 8.]]"),
    ]);
}

#[test]
fn numpy_s_rule_is_an_option() {
    let x = "x=[[1,2,3],[4,5,6]]";
    check(&[
        (&["--numpy", "x + v", x, "v=[7,8,9]"], "f32[2,3]", "[[ 8. 10. 12.] [11. 13. 15.]]"),
        (&["v - x", x, "v=[7,8,9]", "--numpy"], "f32[2,3]", "[[6. 6. 6.] [3. 3. 3.]]"),
        (
            &["--numpy", "x + in_dim(w, 0)", x, "w=[10,20]"],
            "f32[2,3]",
            "[[11. 12. 13.] [24. 25. 26.]]",
        ),
        (
            &["--numpy", "select(x > v, x, 0)", x, "v=[2,2,9]"],
            "f32[2,3]",
            "[[0. 0. 0.] [4. 5. 0.]]",
        ),
        (
            &["--numpy", "select(p, x, v)", x, "p=pred:[[1],[0]]", "v=[7,8,9]"],
            "f32[2,3]",
            "[[1. 2. 3.] [7. 8. 9.]]",
        ),
        (&["--numpy", "clamp(v, x, 5)", x, "v=[2,2,2]"], "f32[2,3]", "[[2. 2. 3.] [4. 5. 5.]]"),
        (
            &["--numpy", "a + b", "a=iota:2x1x2", "b=iota:3x1"],
            "f32[2,3,2]",
            "[[[0. 1.] [1. 2.] [2. 3.]] [[2. 3.] [3. 4.] [4. 5.]]]",
        ),
    ]);
}

#[test]
fn arrays_are_literals_fills_and_files() {
    check(&[
        (&["x", "x=pred:[[true,0],[1,False]]"], "pred[2,2]", "[[ True False] [ True False]]"),
        (&["x", "x=[ 1, -2.5e0, inf, -inf, nan, ]"], "f32[5]", "[ 1. -2.5 inf -inf nan]"),
        (&["x", "x=true"], "pred[]", "True"),
        (&["x", "x=[false,True]"], "pred[2]", "[False True]"),
        (&["x", "x=f16:-inf"], "f16[]", "-inf"),
        (&["x", "x=nanbf16"], "bf16[]", "nan"),
        (&["x", "x=[1,-inff16]"], "f16[2]", "[ 1. -inf]"),
        (&["x", "x=[[],[]]"], "f32[2,0]", "[]"),
        (&["x", "x=i32:-5"], "s32[]", "-5"),
        (&["x", "x=u32:0x10"], "u32[]", "16"),
        (&["x", "x=iota:2x3"], "f32[2,3]", "[[0. 1. 2.] [3. 4. 5.]]"),
        (&["x", "x=s32:iota:4"], "s32[4]", "[0 1 2 3]"),
        (&["x", "x=iota:[]"], "f32[]", "0.0"),
        (&["x", "x=iota:[2, 2]"], "f32[2,2]", "[[0. 1.] [2. 3.]]"),
        (&["x", "x=random:0x3"], "f32[0,3]", "[]"),
        (&["abs(x) <= 1", "x=random:2x2"], "pred[2,2]", "[[ True True] [ True True]]"),
        (&["x", "x=f4.npy"], "f32[2,3]", "[[ 1.5 -2. 3.25] [ 4. 5.5 -6.75]]"),
        (&["x", "x=./i4.npy"], "s32[2,3]", "[[ 1 -2 3] [ 4 5 -6]]"),
    ]);
    let random = |seed| eval(&["x", "x=random:3", "--seed", seed]);
    assert_eq!(random("5"), random("5"));
    assert_ne!(random("5"), random("6"));
    assert_ne!(eval(&["x - y", "x=random:3", "y=random:3"]), "f32[3]\n[0. 0. 0.]\n");
}

#[test]
fn files_are_read_in_every_version_order_and_byte_order() {
    let f4 = "[[ 1.5 -2. 3.25] [ 4. 5.5 -6.75]]";
    for file in
        ["f4_fortran", "f4_big_endian", "f4_fortran_big_endian", "f4_version_2", "f4_version_3"]
    {
        let x = format!("x={file}.npy");
        assert_eq!(value(&["x", &x]), ("f32[2,3]".to_owned(), f4.to_owned()), "{file}");
    }
    check(&[
        (&["x", "x=f4_rank_0.npy"], "f32[]", "2.5"),
        (&["x", "x=f4_empty.npy"], "f32[0,3]", "[]"),
        (&["x", "x=u4.npy"], "u32[3]", "[ 0 1 4294967295]"),
        (&["x", "x=b1.npy"], "pred[2,3]", "[[ True False True] [False False True]]"),
        (&["x", "x=i1.npy"], "s8[2]", "[-128 127]"),
        (&["x", "x=i2_big_endian.npy"], "s16[2]", "[ -2 32767]"),
        (&["x", "x=i8.npy"], "s64[3]", "[ 1 -2 1099511627776]"),
        (&["x", "x=u1.npy"], "u8[2]", "[ 0 255]"),
        (&["x", "x=u8.npy"], "u64[2]", "[ 0 18446744073709551615]"),
        (&["x", "x=f2.npy"], "f16[2]", "[ 5.00e-01 -6.55e+04]"),
        (&["x", "x=c8.npy"], "c64[1]", "[1.+2.j]"),
        (&["x", "x=c8_big_endian.npy"], "c64[2]", "[ 1.+2.j -0.-3.j]"),
        (&["bitcast(x, bf16)", "x=u2.npy"], "bf16[2]", "[9.e-41 1.e+00]"),
    ]);
    let equal = eval(&["x == y", "x=f4_cube_fortran.npy", "y=iota:2x3x4"]);
    assert_eq!((equal.matches("True").count(), equal.contains("False")), (24, false));
}

#[test]
fn bytes_behind_the_array_are_mentioned() {
    let outcome = indim(&["eval", "x", "x=left_over.npy"]);
    assert_eq!(outcome.code, Some(0));
    assert_eq!(
        outcome.stderr,
        "warning: operand `x`: left_over.npy: 4 bytes behind the array are ignored\n"
    );
}

#[test]
fn casts_say_what_they_did() {
    let cast = |args: &[&str]| {
        let outcome = indim(&[&["eval", "x"], args].concat());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        (outcome.stdout, outcome.stderr)
    };
    assert_eq!(
        cast(&["x=f8.npy", "--cast", "f32"]),
        (
            "f32[2,3]\n[[ 0.1  1.   inf]\n [-1.5  0.   nan]]\n".to_owned(),
            "note: operand `x`: float64 converted to f32; 2 of 6 values changed by more than rounding; \
             the first is 1e300 at [0, 2], which became inf\n"
                .to_owned()
        )
    );
    assert_eq!(
        cast(&["x=f8.npy", "--cast", "s32"]),
        (
            "s32[2,3]\n[[         0          1 2147483647]\n [        -1          0          0]]\n".to_owned(),
            "note: operand `x`: float64 converted to s32; 5 of 6 values changed by more than rounding; \
             the first is 0.1 at [0, 0], which became 0\n"
                .to_owned()
        )
    );
    assert_eq!(
        cast(&["x=i8.npy", "--cast", "f32"]).1,
        "note: operand `x`: int64 converted to f32; none of 3 values changed by more than rounding\n"
    );
    assert_eq!(
        cast(&["x=i8.npy", "--cast", "u32"]).1,
        "note: operand `x`: int64 converted to u32; 2 of 3 values changed by more than rounding; \
         the first is -2 at [1], which became 4294967294\n"
    );
    assert_eq!(cast(&["x=f2.npy", "--cast", "x=f32"]).0, "f32[2]\n[ 5.0000e-01 -6.5504e+04]\n");
    assert_eq!(cast(&["x=u1.npy", "--cast", "x=s4"]).0, "s4[2]\n[ 0 -1]\n");
    assert_eq!(
        cast(&["x=c16.npy", "--cast", "c64"]),
        (
            "c64[2]\n[ 1.+2.j inf+0.j]\n".to_owned(),
            "note: operand `x`: complex128 converted to c64; 1 of 2 values changed by more than rounding; \
             the first is 1e300+0.0i at [1], which became inf+0.0i\n"
                .to_owned()
        )
    );
    // Without a name, `--cast` leaves files that have no 64-bit numbers alone; with a name it
    // converts them.
    assert_eq!(cast(&["x=u1.npy", "--cast", "f32"]).0, "u8[2]\n[  0 255]\n");
    assert_eq!(cast(&["x=i4.npy", "--cast", "f32"]).0, "s32[2,3]\n[[ 1 -2  3]\n [ 4  5 -6]]\n");
    assert_eq!(
        cast(&["x=i4.npy", "--cast", "x=f32"]).0,
        "f32[2,3]\n[[ 1. -2.  3.]\n [ 4.  5. -6.]]\n"
    );
    assert_eq!(
        cast(&["x=b1.npy", "--cast", "s32", "--cast", "x=u32"]).0,
        "u32[2,3]\n[[1 0 1]\n [0 0 1]]\n"
    );
}

#[test]
fn expressions_come_from_files_and_the_standard_input_too() {
    let file = Scratch::with("expr.txt", "# a comment\nx +\n  in_dim(v, 1)  # another\n");
    let (x, v) = ("x=iota:2x2", "v=[10,20]");
    let expected = "f32[2,2]\n[[10. 21.]\n [12. 23.]]\n";
    assert_eq!(eval(&[&file.at_path(), x, v]), expected);
    let outcome = with_stdin(&["eval", "-", x, v], "x + in_dim(v, 1)\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), expected));
}

#[test]
fn an_expression_may_begin_with_a_sign() {
    assert_eq!(eval(&["-x", "x=[1]"]), "f32[1]\n[-1.]\n");
    assert_eq!(eval(&["-5 + x", "x=[1]"]), "f32[1]\n[-4.]\n");
}

#[test]
fn long_sums_are_computed() {
    let file = Scratch::with("sum.txt", vec!["x"; 20_000].join(" + "));
    assert_eq!(eval(&[&file.at_path(), "x=[1,2]"]), "f32[2]\n[20000. 40000.]\n");
}

#[test]
fn unused_operands_are_mentioned() {
    let outcome = indim(&["eval", "x", "x=[1]", "y=[2]"]);
    let expected = Outcome {
        code: Some(0),
        stdout: "f32[1]\n[1.]\n".to_owned(),
        stderr: "warning: operand `y` is not used in EXPR\n".to_owned(),
    };
    assert_eq!(outcome, expected);
    let name = "y".repeat(if cfg!(windows) { 15_000 } else { 70_000 });
    let warning = indim(&["eval", "x", "x=[1]", &format!("{name}=[2]")]).stderr;
    assert!(warning.contains("yy ... yy") && warning.len() < 1_100, "{warning}");
}

#[test]
fn the_adapter_can_be_chosen() {
    let listed = indim(&["adapters"]).stdout;
    let name = listed.lines().next().unwrap();
    assert_eq!(eval(&["x", "x=[1]", "--adapter", &name.to_uppercase()]), "f32[1]\n[1.]\n");
    let refused = error(&["eval", "x", "x=[1]", "--adapter", "no such adapter"]);
    assert!(
        // In between, the backend where the environment names one.
        refused.starts_with("error: no GPU adapter with a name that contains `no such adapter`")
            && refused.contains(" can compute; found: "),
        "{refused}"
    );
    assert!(refused.contains(name), "{refused}");
}

#[test]
fn of_an_array_larger_than_the_device_allows_only_the_corners_are_computed() {
    let printed = eval(&["broadcast(x, 1000000, 1000000, 1000)", "x=s8:3"]);
    let corner = "[3 3 3 ... 3 3 3]";
    assert!(printed.starts_with(&format!("s8[1000000,1000000,1000]\n[[{corner}")), "{printed}");
    assert_eq!(printed.matches(corner).count(), 36);
    // The number of elements overflows.
    let refused = error(&["eval", "broadcast(x, 4294967296, 4294967296)", "x=[1]"]);
    assert!(refused.starts_with("error: broadcast: "), "{refused}");
}

#[test]
fn relaxed_sums_of_whole_numbers_are_what_they_are() {
    check(&[(&["--relaxed", "x * 2 + 1", "x=[1,2,-3]"], "f32[3]", "[ 3. 5. -5.]")]);
}
