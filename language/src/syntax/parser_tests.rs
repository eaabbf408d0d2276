//! Tests of the parser: precedence, spans and errors.

use crate::report::diagnostic::Source;
use crate::syntax::parser::{Kind, NodeId, Statement, Tree, parse};

fn statements(tree: &Tree) -> impl Iterator<Item = &Statement> {
    tree.others().iter().chain([tree.last()])
}

/// Returns the tree as text, with parentheses around every operation.
fn shape(text: &str) -> String {
    let tree = parse(text, 0)
        .unwrap_or_else(|e| panic!("{}", e.in_source(&Source::new("EXPR", text)).render()));
    let mut shown: Vec<String> = Vec::new();
    for id in statements(&tree).flat_map(Statement::ids) {
        let node = tree.node(id);
        let at = &text[node.at.clone()];
        let list = |ids: &[NodeId]| {
            ids.iter().map(|id| shown[id.index()].as_str()).collect::<Vec<_>>().join(" ")
        };
        shown.push(match &node.kind {
            Kind::Number(_) | Kind::Name => at.to_owned(),
            Kind::Unary(_, a) => format!("({at}{})", shown[a.index()]),
            Kind::Binary(_, a, b) => format!("({} {at} {})", shown[a.index()], shown[b.index()]),
            Kind::Call(args) => format!("{at}({})", list(args)),
            Kind::List(items) => format!("[{}]", list(items)),
            Kind::Keyword(value) => format!("{at}={}", shown[value.index()]),
            Kind::Part(base) => format!("{}{at}", shown[base.index()]),
        });
    }
    let statement = |statement: &Statement| match &statement.name {
        Some(name) => format!("{} = {}", &text[name.clone()], shown[statement.root.index()]),
        None => shown[statement.root.index()].clone(),
    };
    statements(&tree).map(statement).collect::<Vec<_>>().join("; ")
}

fn error(text: &str) -> String {
    match parse(text, 0) {
        Ok(tree) => panic!("{text} gives {tree:?}"),
        Err(e) => e.in_source(&Source::new("EXPR", text)).render(),
    }
}

#[test]
fn precedence_is_python_s() {
    for (text, expected) in [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("-x**2", "(-(x ** 2))"),
        ("-x[:, 1]**2", "(-(x[:, 1] ** 2))"),
        ("2**-1", "(2 ** -1)"),
        ("2**-x**3", "(2 ** (-(x ** 3)))"),
        ("a**b**c", "(a ** (b ** c))"),
        ("-a * b", "((-a) * b)"),
        ("a * -b + c", "((a * (-b)) + c)"),
        ("~a & b", "((~a) & b)"),
        ("a | b ^ c & d << e + f", "(a | (b ^ (c & (d << (e + f)))))"),
        ("a & b == c | d", "((a & b) == (c | d))"),
        ("a << b >> c", "((a << b) >> c)"),
        ("(a < b) & (c < d)", "((a < b) & (c < d))"),
        ("(a < b) < c", "((a < b) < c)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("--1", "--1"),
        ("+x", "x"),
        ("-(1)", "-(1)"),
        ("f(a, g(), [1, 2,], [],)", "f(a g() [1 2] [])"),
        ("f (a) - b", "(f(a) - b)"),
        ("f(a, b=-1, c=[0, 1]) + 1", "(f(a b=-1 c=[0 1]) + 1)"),
        ("f(a=b + c * d == e, g(h = 2,),)", "f(a=((b + (c * d)) == e) g(h=2))"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn statements_end_at_semicolons() {
    for (text, expected) in [
        ("t = tanh(x); t * t + t", "t = tanh(x); ((t * t) + t)"),
        ("m=-m;", "m = (-m)"),
        ("x;y ;\n z # = 1; 2\n;", "x; y; z"),
        ("a = b == c; (a)", "a = (b == c); a"),
        ("_1 = -1; f(_1, [2])", "_1 = -1; f(_1 [2])"),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
    let compare = "`=` is not an operator here";
    for (text, message, carets) in [
        (";", "expected a value, found `;`", "^"),
        ("x;;y", "expected a value, found `;`", "  ^"),
        ("x = ; y", "expected a value, found `;`", "    ^"),
        ("x =", "expected a value, but EXPR ends here", "   ^"),
        ("x; y =", "expected a value, but EXPR ends here", "      ^"),
        ("= x", "expected a value, found `=`", "^"),
        ("x += 1", "expected a value, found `=`", "   ^"),
        ("x = y = z", compare, "      ^"),
        ("2 = x", compare, "  ^"),
        ("x + y = z", compare, "      ^"),
        ("f((x) = y)", compare, "      ^"),
        ("f(x + y = z)", compare, "        ^"),
        ("f(x = y = z)", compare, "        ^"),
        ("(x = y)", compare, "   ^"),
        ("(x; y)", "expected `)`, found `;`", "  ^"),
        ("[x; y]", "expected `]`, found `;`", "  ^"),
        ("x + ; y", "expected a value, found `;`", "    ^"),
    ] {
        let shown = error(text);
        assert_eq!(shown.lines().next(), Some(format!("error: {message}").as_str()), "{text}");
        assert_eq!(shown.lines().nth(3), Some(format!("  | {carets}").as_str()), "{text}");
    }
    assert!(error("(x = y)").ends_with(
        "  = help: write `==` to compare; a name stands at the beginning, as in `y = x + 1; y * y`\n"
    ));
    assert!(
        error("x += 1").ends_with("  = help: write `x = x + 1` to name a value, `==` to compare\n")
    );
}

#[test]
fn spans_cover_whole_operands() {
    let text = "(a + b) * c";
    let tree = parse(text, 0).unwrap_or_else(|e| panic!("{e:?}"));
    let root = tree.node(tree.last().root);
    assert_eq!((root.span.clone(), root.at.clone()), (0..11, 8..9));
}

#[test]
fn mistakes_are_pointed_at() {
    let caret = |text: &str| error(text).lines().nth(3).map(|l| l[4..].to_owned());
    for (text, message, carets) in [
        ("", "EXPR is empty", "^"),
        ("x +", "expected a value, but EXPR ends here", "   ^"),
        ("x + * y", "expected a value, found `*`", "    ^"),
        ("x y", "expected an operator, found `y`", "  ^"),
        ("x[0", "expected an operator, found `[`", " ^"),
        ("x:", "expected an operator, found `:`", " ^"),
        ("(x", "`(` is never closed", "^"),
        ("f(x, [1, 2)", "expected `]`, found `)`", "          ^"),
        ("x)", "`)` closes or separates nothing", " ^"),
        ("x, y", "`,` closes or separates nothing", " ^"),
        ("(x, y)", "expected `)`, found `,`", "  ^"),
        ("()", "expected a value, found `)`", " ^"),
        ("f(,)", "expected a value, found `,`", "  ^"),
    ] {
        assert_eq!(
            error(text).lines().next(),
            Some(format!("error: {message}").as_str()),
            "{text}"
        );
        assert_eq!(caret(text).as_deref(), Some(carets), "{text}");
    }
    let list = "  = help: several dimensions or sizes are a list: `[0, 1]`\n";
    assert!(error("f(x, (0, 1))").ends_with(list) && error("f(x, a=(0, 1))").ends_with(list));
    assert!(!error("f(x + (0, 1))").contains("help"));
    assert_eq!(
        error("a < b <= c"),
        "error: comparisons do not chain\n  |\n  | a < b <= c\n  |       ^^\n  \
         = help: write `(a < b) & (b <= c)`, or put one comparison in parentheses\n"
    );
}

#[test]
fn depth_has_a_limit_and_length_has_none() {
    let deep = |open: &str, n: usize| format!("{}x", open.repeat(n));
    for text in [
        deep("(", 60_000),
        deep("-", 60_000),
        deep("~ ", 60_000),
        deep("x**", 60_000),
        deep("exp(", 60_000),
        deep("[", 60_000),
        deep("1+(x*-", 60_000),
    ] {
        let message = "error: EXPR is nested too deeply: more than 1000 brackets, signs or powers are open here";
        assert_eq!(error(&text).lines().next(), Some(message));
    }
    assert_eq!(shape(&format!("{}x{}", "(".repeat(1000), ")".repeat(1000))), "x");
    let long = vec!["x"; 200_000].join("+");
    assert_eq!(parse(&long, 0).map(|tree| tree.len()).unwrap_or(0), 399_999);
}
