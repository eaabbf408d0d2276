//! The table of operations agrees with itself.

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
fn the_faces_have_every_operation() {
    let faces = [include_str!("../graph/builder.rs"), include_str!("../ops.rs")];
    for &op in Opcode::ALL {
        if matches!(op.class(), OpClass::Binary | OpClass::Compare | OpClass::Unary) {
            for face in faces {
                // One of a list, or a function by itself where the types differ.
                let entry = format!("{} {},", op.method(), op.name());
                let single = format!("fn {}", op.method());
                let found = face.contains(&entry) || face.contains(&single);
                assert!(found, "`{entry}` is missing");
            }
        }
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
