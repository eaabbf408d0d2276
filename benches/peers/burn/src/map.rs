//! One function of burn's on operands from standard input: `indim-peers-burn --map FUNCTION`, for
//! `indim-accuracy --peer`. Operands and results are little-endian f32; of a function of two, all of
//! the first operands come first. Names are XLA's in snake case; `adapter` prints the adapter's
//! name.

use std::io::{Read, Write};

use burn::tensor::{Device, Tensor, TensorData, activation};

/// The exit status for a function that burn lacks.
pub const NO_FUNCTION: u8 = 3;

enum Function {
    Unary(fn(Tensor<1>) -> Tensor<1>),
    Binary(fn(Tensor<1>, Tensor<1>) -> Tensor<1>),
}

fn function(name: &str) -> Option<Function> {
    use Function::{Binary, Unary};
    Some(match name {
        "add" => Binary(Tensor::add),
        "sub" => Binary(Tensor::sub),
        "mul" => Binary(Tensor::mul),
        "div" => Binary(Tensor::div),
        "rem" => Binary(Tensor::fmod),
        "pow" => Binary(Tensor::powf),
        "atan2" => Binary(Tensor::atan2),
        "max" => Binary(Tensor::max_pair),
        "min" => Binary(Tensor::min_pair),
        "abs" => Unary(Tensor::abs),
        "neg" => Unary(Tensor::neg),
        "sign" => Unary(Tensor::sign),
        "ceil" => Unary(Tensor::ceil),
        "floor" => Unary(Tensor::floor),
        "round_nearest_even" => Unary(Tensor::round),
        "sqrt" => Unary(Tensor::sqrt),
        "square" => Unary(|x| Tensor::<1>::square(x)),
        "reciprocal" => Unary(Tensor::recip),
        "exp" => Unary(Tensor::exp),
        "log" => Unary(Tensor::log),
        "log1p" => Unary(Tensor::log1p),
        "logistic" => Unary(activation::sigmoid),
        "sin" => Unary(Tensor::sin),
        "cos" => Unary(Tensor::cos),
        "tan" => Unary(Tensor::tan),
        "sinh" => Unary(Tensor::sinh),
        "cosh" => Unary(Tensor::cosh),
        "tanh" => Unary(Tensor::tanh),
        "asin" => Unary(Tensor::asin),
        "acos" => Unary(Tensor::acos),
        "atan" => Unary(Tensor::atan),
        "asinh" => Unary(Tensor::asinh),
        "acosh" => Unary(Tensor::acosh),
        "atanh" => Unary(Tensor::atanh),
        "erf" => Unary(Tensor::erf),
        // For sums.py, of all operands.
        "reduce_sum" => Unary(Tensor::sum),
        "mean" => Unary(Tensor::mean),
        "var" => Unary(|x| x.var_bias(0)),
        "logsumexp" => Unary(|x| {
            let most = x.clone().max();
            (x - most.clone()).exp().sum().log() + most
        }),
        _ => return None,
    })
}

/// Maps standard input to standard output; false if there is no such function.
pub fn map(name: &str) -> Result<bool, String> {
    if name == "adapter" {
        let (_, setup) =
            Device::wgpu_options().init_with_setup().map_err(|error| error.to_string())?;
        let info = setup.adapter.get_info();
        println!("{}\n{} {}\n{}", info.name, info.driver, info.driver_info, info.backend);
        return Ok(true);
    }
    let Some(function) = function(name) else { return Ok(false) };
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let mut data: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let (device, _) =
        Device::wgpu_options().init_with_setup().map_err(|error| error.to_string())?;
    let tensor = |data: Vec<f32>| {
        let length = data.len();
        Tensor::<1>::from_data(TensorData::new(data, [length]), &device)
    };
    let result = match function {
        Function::Unary(function) => function(tensor(data)),
        Function::Binary(function) => {
            let rhs = data.split_off(data.len() / 2);
            function(tensor(data), tensor(rhs))
        }
    };
    let result = result.into_data();
    let values = result.as_slice::<f32>().map_err(|error| format!("{error:?}"))?;
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    std::io::stdout().write_all(&bytes).map_err(|error| error.to_string())?;
    Ok(true)
}
