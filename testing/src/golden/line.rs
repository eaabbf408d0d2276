//! Reads a line of a golden file, as described in `tests/golden/README.md`.
//!
//! Reading is strict: whatever the format does not allow makes the line malformed, which its caller
//! counts as a failure. Nothing in here panics on a malformed line, however hostile.

use indim::{ElementType, OpClass, Opcode};
use serde::Deserialize;

use crate::host_array::HostArray;
use crate::oracle::format;
use crate::oracle::integer;
use crate::oracle::value::width;
use ElementType::C64;

/// One golden line, checked.
pub struct Line {
    pub id: String,
    pub op: String,
    pub case: Case,
    pub expected: Expected,
}

/// A question that is put to the library.
pub enum Case {
    Binary {
        opcode: Opcode,
        lhs: HostArray,
        rhs: HostArray,
        broadcast_dimensions: Vec<i64>,
    },
    Unary {
        opcode: Opcode,
        operand: HostArray,
    },
    ReducePrecision {
        operand: HostArray,
        exponent_bits: i64,
        mantissa_bits: i64,
    },
    /// `ConvertElementType` and `BitcastConvertType`.
    Convert {
        opcode: Opcode,
        operand: HostArray,
        to: ElementType,
    },
    Select([HostArray; 3]),
    Clamp([HostArray; 3]),
    BroadcastInDim {
        operand: HostArray,
        out_shape: Vec<i64>,
        broadcast_dimensions: Vec<i64>,
    },
    Broadcast {
        operand: HostArray,
        sizes: Vec<i64>,
    },
    Iota {
        element_type: ElementType,
        shape: Vec<i64>,
        iota_dimension: i64,
    },
    Pad {
        /// The operand and the padding value.
        operands: [HostArray; 2],
        low: Vec<i64>,
        high: Vec<i64>,
        interior: Vec<i64>,
    },
    Concatenate {
        operands: Vec<HostArray>,
        dimension: i64,
    },
    /// NumPy's; the answer is also NumPy's.
    Roll {
        operand: HostArray,
        shifts: Vec<i64>,
        dimensions: Vec<i64>,
    },
}

/// XLA's answer.
pub enum Expected {
    Refusal {
        error_kind: String,
    },
    Acceptance {
        /// Bit for bit; otherwise within the op's tolerance.
        exact: bool,
        result: HostArray,
        /// A second right answer, element by element.
        alt: Option<HostArray>,
        /// XLA has two formulas for it, which are far apart.
        two_formulas: bool,
    },
}

/// A line that the format does not allow, with as much of its name as could be read.
pub struct Malformed {
    pub id: String,
    pub op: String,
    pub reason: String,
}

/// Reads one line.
pub fn parse(line: &[u8]) -> Result<Line, Malformed> {
    let raw: RawLine = serde_json::from_slice(line).map_err(|error| Malformed {
        id: "?".to_owned(),
        op: "?".to_owned(),
        reason: error.to_string(),
    })?;
    let checked = raw.case().and_then(|case| raw.expected().map(|expected| (case, expected)));
    match checked {
        Ok((case, expected)) => Ok(Line { id: raw.id, op: raw.op, case, expected }),
        Err(reason) => Err(Malformed { id: raw.id, op: raw.op, reason }),
    }
}

/// The line as JSON has it. Every kind shares one flat object; which fields it must have depends on
/// `kind` and `ok`.
#[derive(Deserialize)]
struct RawLine {
    id: String,
    kind: String,
    op: String,
    lhs: Option<RawArray>,
    rhs: Option<RawArray>,
    operands: Option<Vec<RawArray>>,
    broadcast_dimensions: Option<Vec<i64>>,
    exponent_bits: Option<i64>,
    mantissa_bits: Option<i64>,
    to: Option<String>,
    out_shape: Option<Vec<i64>>,
    sizes: Option<Vec<i64>>,
    dtype: Option<String>,
    shape: Option<Vec<i64>>,
    iota_dimension: Option<i64>,
    low: Option<Vec<i64>>,
    high: Option<Vec<i64>>,
    interior: Option<Vec<i64>>,
    dimension: Option<i64>,
    shifts: Option<Vec<i64>>,
    dimensions: Option<Vec<i64>>,
    ok: bool,
    error_kind: Option<String>,
    exact: Option<bool>,
    result: Option<RawArray>,
    alt: Option<RawArray>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Floats are in `bits`, as hexadecimal digits, because decimal JSON has no NaN; the rest is in
/// `data`.
#[derive(Deserialize)]
struct RawArray {
    dtype: String,
    shape: Vec<usize>,
    bits: Option<Vec<String>>,
    data: Option<Vec<i128>>,
}

impl RawLine {
    fn case(&self) -> Result<Case, String> {
        let opcode =
            Opcode::from_name(&self.op).ok_or_else(|| format!("unknown op {:?}", self.op))?;
        let case = match self.kind.as_str() {
            "binary" => Case::Binary {
                opcode,
                lhs: field("lhs", &self.lhs)?.check()?,
                rhs: field("rhs", &self.rhs)?.check()?,
                // XLA treats "not given" and "given, but empty" alike.
                broadcast_dimensions: self.broadcast_dimensions.clone().unwrap_or_default(),
            },
            "unary" => {
                let [operand] = self.operands()?;
                Case::Unary { opcode, operand }
            }
            "reduce_precision" => {
                let [operand] = self.operands()?;
                Case::ReducePrecision {
                    operand,
                    exponent_bits: *field("exponent_bits", &self.exponent_bits)?,
                    mantissa_bits: *field("mantissa_bits", &self.mantissa_bits)?,
                }
            }
            "convert" => {
                let [operand] = self.operands()?;
                let to = element_type(field("to", &self.to)?)?;
                Case::Convert { opcode, operand, to }
            }
            "select" => Case::Select(self.operands()?),
            "clamp" => Case::Clamp(self.operands()?),
            "broadcast_in_dim" => {
                let [operand] = self.operands()?;
                Case::BroadcastInDim {
                    operand,
                    out_shape: field("out_shape", &self.out_shape)?.clone(),
                    broadcast_dimensions: field(
                        "broadcast_dimensions",
                        &self.broadcast_dimensions,
                    )?
                    .clone(),
                }
            }
            "broadcast" => {
                let [operand] = self.operands()?;
                Case::Broadcast { operand, sizes: field("sizes", &self.sizes)?.clone() }
            }
            "iota" => Case::Iota {
                element_type: element_type(field("dtype", &self.dtype)?)?,
                shape: field("shape", &self.shape)?.clone(),
                iota_dimension: *field("iota_dimension", &self.iota_dimension)?,
            },
            "pad" => Case::Pad {
                operands: self.operands()?,
                low: field("low", &self.low)?.clone(),
                high: field("high", &self.high)?.clone(),
                interior: field("interior", &self.interior)?.clone(),
            },
            "concatenate" => {
                let operands = field("operands", &self.operands)?;
                let operands = operands.iter().map(RawArray::check).collect::<Result<_, _>>()?;
                Case::Concatenate { operands, dimension: *field("dimension", &self.dimension)? }
            }
            "roll" => {
                let [operand] = self.operands()?;
                let shifts = field("shifts", &self.shifts)?.clone();
                let dimensions = field("dimensions", &self.dimensions)?.clone();
                Case::Roll { operand, shifts, dimensions }
            }
            unknown => return Err(format!("unknown kind {unknown:?}")),
        };
        if fits(opcode, &case) {
            Ok(case)
        } else {
            Err(format!("op {:?} is not of kind {:?}", self.op, self.kind))
        }
    }

    fn operands<const N: usize>(&self) -> Result<[HostArray; N], String> {
        let operands = field("operands", &self.operands)?;
        let arrays = operands.iter().map(RawArray::check).collect::<Result<Vec<_>, _>>()?;
        let given = arrays.len();
        arrays
            .try_into()
            .map_err(|_| format!("{:?} takes {N} operands, {given} are given", self.op))
    }

    fn expected(&self) -> Result<Expected, String> {
        if !self.ok {
            if self.result.is_some() {
                return Err("a refusal with a result".to_owned());
            }
            let error_kind = field("error_kind", &self.error_kind)?.clone();
            return Ok(Expected::Refusal { error_kind });
        }
        if let Some(error_kind) = &self.error_kind {
            return Err(format!("accepted, but error_kind is {error_kind:?}"));
        }
        let exact = *field("exact", &self.exact)?;
        let result = field("result", &self.result)?.check()?;
        let alt = self.alt.as_ref().map(RawArray::check).transpose()?;
        let form = |array: &HostArray| (array.element_type, array.shape.clone());
        if alt.as_ref().is_some_and(|alt| form(alt) != form(&result)) {
            return Err("alt and result differ in shape or element type".to_owned());
        }
        if !exact && format::of(result.element_type).is_none() && result.element_type != C64 {
            return Err(format!("an inexact result of {}", result.element_type));
        }
        let two_formulas = self.tags.iter().any(|tag| tag == "impl");
        Ok(Expected::Acceptance { exact, result, alt, two_formulas })
    }
}

impl RawArray {
    fn check(&self) -> Result<HostArray, String> {
        let element_type = element_type(&self.dtype)?;
        let bits: Vec<u64> = match format::of(element_type) {
            _ if element_type == C64 => self.complex_numbers()?,
            Some(_) => self.floats(width(element_type) as usize / 4)?,
            None => self.integers(element_type)?,
        };
        // A declared shape is believed only where the elements are really there: nothing is
        // allocated for a claim.
        let count = if self.shape.contains(&0) {
            Some(0)
        } else {
            self.shape.iter().try_fold(1, |product: usize, &size| product.checked_mul(size))
        };
        if count != Some(bits.len()) {
            return Err(format!("{} elements for shape {:?}", bits.len(), self.shape));
        }
        Ok(HostArray { element_type, shape: self.shape.clone(), bits })
    }

    /// `bits`, each of this many digits.
    fn floats(&self, digits: usize) -> Result<Vec<u64>, String> {
        field("bits", &self.bits)?.iter().map(|bits| hexadecimal(bits, digits)).collect()
    }

    /// `bits` of real and imaginary parts in turn.
    fn complex_numbers(&self) -> Result<Vec<u64>, String> {
        let parts = self.floats(8)?;
        if !parts.len().is_multiple_of(2) {
            return Err(format!("{} parts of complex numbers", parts.len()));
        }
        Ok(parts.chunks(2).map(|part| part[0] | part[1] << 32).collect())
    }

    /// `data`, each within the type's limits, as two's complement.
    fn integers(&self, element_type: ElementType) -> Result<Vec<u64>, String> {
        let (low, high) = integer::limits(element_type);
        field("data", &self.data)?
            .iter()
            .map(|&value| {
                if value < low || value > high {
                    return Err(format!("{value} is not a {}", self.dtype));
                }
                Ok(integer::encode(element_type, value))
            })
            .collect()
    }
}

fn field<'a, T>(name: &str, value: &'a Option<T>) -> Result<&'a T, String> {
    value.as_ref().ok_or_else(|| format!("{name} is missing"))
}

/// The format's names are the library's own; `i32` is the format's older name of s32, which the
/// library also accepts.
fn element_type(name: &str) -> Result<ElementType, String> {
    name.parse().map_err(|_| format!("unknown dtype {name:?}"))
}

fn hexadecimal(digits: &str, length: usize) -> Result<u64, String> {
    // from_str_radix alone would also take a sign and fewer digits.
    let plain = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !plain {
        return Err(format!("{digits:?} is not {length} hexadecimal digits"));
    }
    u64::from_str_radix(digits, 16).map_err(|error| error.to_string())
}

/// Returns whether `op` and `kind` belong together. Without this, a line that names the wrong kind
/// could pass as a refusal.
fn fits(opcode: Opcode, case: &Case) -> bool {
    match case {
        Case::Binary { .. } => {
            matches!(opcode.class(), OpClass::Binary | OpClass::Compare | OpClass::Pair)
        }
        Case::Unary { .. } => opcode.class() == OpClass::Unary,
        Case::ReducePrecision { .. } => opcode == Opcode::ReducePrecision,
        Case::Convert { .. } => opcode.class() == OpClass::Convert,
        Case::Select(_) => opcode == Opcode::Select,
        Case::Clamp(_) => opcode == Opcode::Clamp,
        Case::BroadcastInDim { .. } => opcode == Opcode::BroadcastInDim,
        Case::Broadcast { .. } => opcode == Opcode::Broadcast,
        Case::Iota { .. } => opcode == Opcode::Iota,
        Case::Pad { .. } => opcode == Opcode::Pad,
        Case::Concatenate { .. } => opcode == Opcode::Concatenate,
        Case::Roll { .. } => opcode == Opcode::Roll,
    }
}
