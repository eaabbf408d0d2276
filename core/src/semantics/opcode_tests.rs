//! Tests that the table of operations is consistent.

use super::opcode::*;

#[test]
fn the_table_is_in_the_enum_s_order() {
    for (i, &op) in Opcode::ALL.iter().enumerate() {
        assert_eq!(op as usize, i);
        assert_eq!(op.name(), format!("{op:?}"));
        assert_eq!(Opcode::from_name(op.name()), Some(op));
        assert_eq!(Opcode::from_method(op.method()), Some(op));
    }
}

#[test]
fn methods_are_the_names_in_snake_case() {
    for &op in Opcode::ALL {
        let mut snake = String::new();
        for (i, c) in op.name().chars().enumerate() {
            if c.is_ascii_uppercase() && i > 0 {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        assert_eq!(op.method(), snake);
    }
}
