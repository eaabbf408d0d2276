//! Tests that every operation of the table exists in each way to call it.

use crate::semantics::opcode::{OpClass, Opcode};

/// Checks that each operation on arrays is named in a source as one of `spellings`.
fn assert_complete(file: &str, source: &str, spellings: impl Fn(&Opcode) -> Vec<String>) {
    let checked =
        |op: &&Opcode| matches!(op.class(), OpClass::Binary | OpClass::Compare | OpClass::Unary);
    for op in Opcode::ALL.iter().filter(checked) {
        let spellings = spellings(op);
        let found = spellings.iter().any(|spelling| source.contains(spelling));
        assert!(found, "{file} has none of {spellings:?}");
    }
}

#[test]
fn builder_and_eager_functions_have_every_operation() {
    // A name is in a macro's list, or has a separate function if the types differ.
    let spellings = |op: &Opcode| {
        vec![format!("{} {},", op.method(), op.name()), format!("fn {}", op.method())]
    };
    assert_complete("builder.rs", include_str!("../graph/builder.rs"), spellings);
    assert_complete("ops.rs", include_str!("ops.rs"), spellings);
}

#[test]
fn operators_and_methods_have_every_operation() {
    // The `use` declarations before the first macro name traits like operations.
    let sources = [include_str!("operators.rs"), include_str!("methods.rs")];
    let source = sources.map(|source| source.split_once("macro_rules!").unwrap().1).concat();
    // A name is in a list of operators or methods, or has a separate method.
    assert_complete("operators.rs or methods.rs", &source, |op| {
        let name = op.name();
        vec![format!(" {name},"), format!(" {name}: Expr<T>,"), format!("(Opcode::{name}, ")]
    });
}
