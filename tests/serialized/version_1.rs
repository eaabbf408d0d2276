//! Tests that files of format version 1 are read, as the computations that they were made of.

use std::fs;
use std::path::PathBuf;

use indim::{AnyArray, Builder, Computation, Context, ElementType, Literal, Parameter};
use indim_testing::random::Random;
use indim_testing::{contexts, share};
use serde_json::from_str;

use crate::computations::{kernels, types};
use crate::samples::samples;

fn file(name: &str) -> PathBuf {
    let folder = indim_testing::repository().join("tests/serialized/version_1");
    folder.join(format!("{name}.json"))
}

/// Returns arguments for the parameters: small whole numbers.
fn arguments(gpu: &Context, computation: &Computation) -> Vec<AnyArray> {
    let random = &mut Random::new(7);
    let of = |parameter: &Parameter| {
        let count = parameter.shape.element_count().unwrap();
        let numbers: Vec<f32> = (0..count).map(|_| random.below(7) as f32 - 2.0).collect();
        let numbers = Literal::from_slice(parameter.shape.dims(), &numbers).unwrap();
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, &parameter.shape).unwrap();
        let converted = b.convert_element_type(x, parameter.element_type).unwrap();
        gpu.run(&b.build(converted).unwrap(), &[&gpu.upload(&numbers).unwrap()]).unwrap()
    };
    computation.parameters().iter().map(of).collect()
}

#[test]
fn stored_files_are_read_as_what_they_were_made_of() {
    let gpu = contexts::gpu();
    for (number, (name, built)) in samples().into_iter().enumerate() {
        let text = fs::read_to_string(file(name)).unwrap();
        assert!(text.starts_with(r#"{"version":1,"#), "{name}");
        let read: Computation = from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(types(&read), types(&built), "{name}");
        assert_eq!(kernels(&read), kernels(&built), "{name}");
        if !number.is_multiple_of(share::one_of(3)) {
            continue;
        }
        let arguments = arguments(&gpu, &built);
        let arguments: Vec<&AnyArray> = arguments.iter().collect();
        let [read, built] = [&read, &built].map(|computation| {
            let results = gpu.run_all(computation, &arguments).unwrap();
            results.iter().map(|array| array.to_literal_blocking().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(read, built, "{name}");
    }
}
