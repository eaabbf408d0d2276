//! The WGSL types that hold one element or a quad of them, and the text of an operand of such a
//! type.

use super::packed::Packed;

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The WGSL type that holds the values of an element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WgslType {
    Bool,
    I32,
    U32,
    I64,
    U64,
    /// The shader's 16-bit float. It holds F16 in kernels that compute in it.
    F16,
    F32,
    F64,
    /// Two 32-bit words, the low one first.
    Words,
    /// A real and an imaginary part.
    Complex,
    /// A quad in the words of memory; a single value is repeated in all four lanes.
    Packed(Packed),
}

impl WgslType {
    /// Returns the type of one value.
    pub(super) fn scalar(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Words => "vec2<u32>",
            Self::Complex => "vec2<f32>",
            Self::Packed(packed) => packed.wgsl_type(),
        }
    }

    /// Returns the type of a quad: a vector, or an array where values are vectors themselves.
    pub(super) fn quad(self) -> String {
        let scalar = self.scalar();
        match self {
            Self::Packed(_) => scalar.to_owned(),
            _ if self.is_vector() => format!("array<{scalar}, 4>"),
            _ => format!("vec4<{scalar}>"),
        }
    }

    /// Returns true if one value is a vector itself.
    pub(super) fn is_vector(self) -> bool {
        matches!(self, Self::Words | Self::Complex)
    }

    /// Returns one value of the quad of this name.
    pub(super) fn lane(self, name: &str, lane: usize) -> String {
        if self.is_vector() {
            format!("{name}[{lane}]")
        } else {
            format!("{name}.{}", COMPONENTS[lane])
        }
    }

    /// Returns a quad of these four values.
    pub(super) fn join_lanes(self, lanes: &[String]) -> String {
        format!("{}({})", self.quad(), lanes.join(", "))
    }

    /// Returns a quad with the value of this name in every lane.
    pub(super) fn splat(self, name: &str) -> String {
        match self {
            Self::Packed(_) => name.to_owned(),
            _ if self.is_vector() => self.join_lanes(&[name; 4].map(str::to_owned)),
            _ => format!("{}({name})", self.quad()),
        }
    }
}

/// An operand as text.
#[derive(Debug, Clone)]
pub(super) struct OperandText {
    pub(super) name: String,
    /// True if it is a quad, and false if it is one value for all lanes.
    pub(super) is_quad: bool,
    pub(super) ty: WgslType,
}

impl OperandText {
    /// Returns its value in one lane.
    pub(super) fn lane(&self, lane: usize) -> String {
        if self.is_quad { self.ty.lane(&self.name, lane) } else { self.name.clone() }
    }

    /// Returns it as a quad.
    pub(super) fn quad(&self) -> String {
        if self.is_quad { self.name.clone() } else { self.ty.splat(&self.name) }
    }
}

/// The operation on a value's bits and a zero that compilers cannot recognize, which keeps them
/// from rewriting the value together with its uses.
///
/// Two exclusive ors with one zero cancel each other, but an exclusive or and an or do not, in
/// either order. A sum would not cancel, but LLVM took minutes over loops with such sums.
#[derive(Debug, Clone, Copy)]
pub(super) enum GuardBy {
    /// For computed results.
    Xor,
    /// For results that an operation passes on, which may be guarded already.
    Or,
}

/// Returns the same value, combined with the zero through its bits.
pub(super) fn guard(by: GuardBy, text: &str, ty: WgslType, quad: bool) -> String {
    let by = match by {
        GuardBy::Xor => "^",
        GuardBy::Or => "|",
    };
    let (bits, zero) = match ty {
        WgslType::F16 => ("u16", "u16(params.zero)"),
        WgslType::F32 | WgslType::Complex => ("u32", "params.zero"),
        WgslType::F64 => ("u64", "u64(params.zero)"),
        _ => return text.to_owned(),
    };
    let lanes = match ty {
        WgslType::Complex => Some("vec2"),
        _ => quad.then_some("vec4"),
    };
    let ty = if quad && !ty.is_vector() { ty.quad() } else { ty.scalar().to_owned() };
    match lanes {
        Some(lanes) => {
            format!("bitcast<{ty}>(bitcast<{lanes}<{bits}>>({text}) {by} {lanes}<{bits}>({zero}))")
        }
        None => format!("bitcast<{ty}>(bitcast<{bits}>({text}) {by} {zero})"),
    }
}
