//! Tests that the library accepts the element types that XLA accepts, operation by operation.

use indim::{ElementType, Opcode};
use indim_testing::xla;

#[test]
fn the_table_accepts_what_xla_does() {
    for &opcode in Opcode::ALL {
        for &element in ElementType::ALL {
            let wanted = xla::accepts(opcode, element);
            assert_eq!(opcode.accepts(element), wanted, "{} of {element}", opcode.name());
        }
    }
}
