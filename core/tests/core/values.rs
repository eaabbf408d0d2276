//! Tests element types, shapes and literals.

use indim::{ElementType, Literal, Precision, Shape};
use serde_json::{from_str, json, to_string};

fn cbor<T: serde::Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

#[test]
fn element_types_are_their_names() {
    for &element_type in ElementType::ALL {
        let text = to_string(&element_type).unwrap();
        assert_eq!(text, format!("\"{element_type}\""));
        assert_eq!(from_str::<ElementType>(&text).unwrap(), element_type);
        let bytes = cbor(&element_type);
        assert_eq!(
            ciborium::from_reader::<ElementType, _>(bytes.as_slice()).unwrap(),
            element_type
        );
    }
    let error = from_str::<ElementType>("\"f8\"").unwrap_err().to_string();
    assert!(error.starts_with("`f8` is not an element type; those are pred, s4"), "{error}");
    let error = from_str::<ElementType>("3").unwrap_err().to_string();
    assert!(error.contains("expected the name of an element type, such as f32"), "{error}");
    assert_eq!(to_string(&Precision::Relaxed).unwrap(), "\"relaxed\"");
    assert_eq!(from_str::<Precision>("\"accurate\"").unwrap(), Precision::Accurate);
}

#[test]
fn shapes_are_lists_of_sizes() {
    for dims in [vec![], vec![0], vec![2, 3], vec![usize::MAX, 0, 1]] {
        let shape = Shape::from(dims.clone());
        let text = to_string(&shape).unwrap();
        assert_eq!(text, to_string(&dims).unwrap());
        assert_eq!(from_str::<Shape>(&text).unwrap(), shape);
        assert_eq!(ciborium::from_reader::<Shape, _>(cbor(&shape).as_slice()).unwrap(), shape);
    }
    for wrong in ["[-1]", "[1.5]", "[18446744073709551616]", "3", "[[1]]"] {
        assert!(from_str::<Shape>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn literals_come_back() {
    for &element_type in ElementType::ALL {
        let bytes = (0..6 * element_type.size_in_bytes()).map(|i| (i * 41) as u8).collect();
        let literal = Literal::new(element_type, [2, 3], bytes).unwrap();
        let text = to_string(&literal).unwrap();
        assert_eq!(from_str::<Literal>(&text).unwrap(), literal, "{text}");
        let bytes = cbor(&literal);
        assert_eq!(ciborium::from_reader::<Literal, _>(bytes.as_slice()).unwrap(), literal);
    }
    let nan = Literal::from_slice([2], &[f32::from_bits(0x7fc0_0123), -0.0]).unwrap();
    let text = to_string(&nan).unwrap();
    assert_eq!(text, r#"{"element_type":"f32","shape":[2],"bytes":"2301c07f00000080"}"#);
    assert_eq!(from_str::<Literal>(&text).unwrap().bytes(), nan.bytes());
}

/// A byte takes a byte in a binary format, and two digits in text.
#[test]
fn bytes_are_stored_as_bytes() {
    let literal = Literal::from_slice([1000], &[0xffu8; 1000]).unwrap();
    assert!(cbor(&literal).len() < 1100, "{}", cbor(&literal).len());
    assert!(to_string(&literal).unwrap().len() < 2100);
}

#[test]
fn wrong_literals_are_refused() {
    let error = |value: serde_json::Value| {
        serde_json::from_value::<Literal>(value).unwrap_err().to_string()
    };
    assert_eq!(
        error(json!({"element_type": "f32", "shape": [2], "bytes": "00000000"})),
        "shape [2] of f32 takes 8 bytes, but 4 were given"
    );
    assert_eq!(
        error(json!({"element_type": "u8", "shape": [1], "bytes": "0"})),
        "bytes are two hexadecimal digits each, but there are 1 digits"
    );
    assert_eq!(
        error(json!({"element_type": "u8", "shape": [1], "bytes": "0g"})),
        "bytes are hexadecimal digits, 0 to 9 and a to f"
    );
    // No memory is taken for what a shape claims.
    assert!(
        error(json!({"element_type": "u8", "shape": [1u64 << 62], "bytes": ""})).starts_with(
            "shape [4611686018427387904] of u8 takes 4611686018427387904 bytes, but 0"
        )
    );
    let uncountable = json!({"element_type": "u8", "shape": [u64::MAX, u64::MAX], "bytes": ""});
    assert!(error(uncountable).contains("more elements than can be counted"));
    assert!(
        error(json!({"element_type": "u8", "shape": [], "bytes": "00", "more": 1}))
            .contains("unknown field `more`")
    );
    assert!(error(json!({"element_type": "u8", "shape": []})).contains("missing field `bytes`"));
    // The order of the fields is open, and so is the case of digits.
    let turned = json!({"bytes": "FF", "shape": [1], "element_type": "u8"}).to_string();
    assert_eq!(from_str::<Literal>(&turned).unwrap().bytes(), [0xff]);
}

/// A list of numbers is also accepted for bytes, for binary formats that have none.
#[test]
fn binary_formats_may_have_lists_for_bytes() {
    #[derive(serde::Serialize)]
    struct Listed {
        element_type: ElementType,
        shape: Vec<usize>,
        bytes: Vec<u8>,
    }
    let listed = Listed { element_type: ElementType::U8, shape: vec![3], bytes: vec![1, 2, 255] };
    let read: Literal = ciborium::from_reader(cbor(&listed).as_slice()).unwrap();
    assert_eq!(read, Literal::from_slice([3], &[1u8, 2, 255]).unwrap());
}
