//! Every operation of the table is there in each way to call it.

use crate::semantics::opcode::{OpClass, Opcode};

#[test]
fn the_faces_have_every_operation() {
    let faces = [include_str!("../graph/builder.rs"), include_str!("ops.rs")];
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
