//! Operations that are composed of reductions: their names, and how the library builds them.

use indim_core::{Builder, Op};

/// Adds an operation along dimensions, with a small number for those that take one.
type Build = fn(&mut Builder, Op, &[i64], f64) -> indim_core::Result<Op>;

/// The arguments after the operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Dimensions,
    DimensionsAndNumber,
    Dimension,
}

/// How an operation is called.
pub(crate) struct Composed {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) build: Build,
}

const fn along(name: &'static str, build: Build) -> Composed {
    Composed { name, takes: Takes::Dimensions, build }
}

const fn normalizing(name: &'static str, build: Build) -> Composed {
    Composed { name, takes: Takes::DimensionsAndNumber, build }
}

const fn cumulative(name: &'static str, build: Build) -> Composed {
    Composed { name, takes: Takes::Dimension, build }
}

/// The operations of the library's table that are composed of reductions.
pub(crate) const COMPOSED: [Composed; 15] = [
    along("argmax", |b, x, dimensions, _| b.argmax(x, dimensions)),
    along("argmin", |b, x, dimensions, _| b.argmin(x, dimensions)),
    along("argmax_s64", |b, x, dimensions, _| b.argmax_s64(x, dimensions)),
    along("argmin_s64", |b, x, dimensions, _| b.argmin_s64(x, dimensions)),
    along("mean", |b, x, dimensions, _| b.mean(x, dimensions)),
    along("var", |b, x, dimensions, _| b.var(x, dimensions)),
    along("logsumexp", |b, x, dimensions, _| b.logsumexp(x, dimensions)),
    along("softmax", |b, x, dimensions, _| b.softmax(x, dimensions)),
    along("log_softmax", |b, x, dimensions, _| b.log_softmax(x, dimensions)),
    normalizing("layer_norm", |b, x, dimensions, epsilon| b.layer_norm(x, dimensions, epsilon)),
    normalizing("rms_norm", |b, x, dimensions, epsilon| b.rms_norm(x, dimensions, epsilon)),
    cumulative("cumsum", |b, x, dimensions, _| b.cumsum(x, dimensions[0])),
    cumulative("cumprod", |b, x, dimensions, _| b.cumprod(x, dimensions[0])),
    cumulative("cummax", |b, x, dimensions, _| b.cummax(x, dimensions[0])),
    cumulative("cummin", |b, x, dimensions, _| b.cummin(x, dimensions[0])),
];

/// Returns the operation of this name.
pub(crate) fn composed(name: &str) -> Option<&'static Composed> {
    COMPOSED.iter().find(|composed| composed.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use indim_core::semantics::op::random_table::for_each_random;
    use indim_core::semantics::op::table::composed_table;

    use super::COMPOSED;
    use crate::syntax::names::is_product;
    use crate::syntax::random::RANDOM;

    /// Operations that EXPR writes as a slice, with strides or before a reshape.
    const SLICES: [&str; 2] = ["index", "step_by"];

    macro_rules! methods {
        ([] $(
            $(#[doc = $doc:literal])+
            $name:ident $method:ident $class:ident $(($($arguments:tt)*))? $bound:ident
                -> $result:ident, $properties:expr;
        )*) => {
            [$(stringify!($method)),*]
        };
    }

    #[test]
    fn expressions_have_every_composed_operation() {
        let mut table: BTreeSet<&str> = composed_table! { [methods] }.into();
        assert!(SLICES.iter().all(|name| table.remove(name)));
        table.retain(|name| !is_product(name));
        assert_eq!(table.len() + 2 + SLICES.len(), composed_table! { [methods] }.len());
        assert_eq!(table, COMPOSED.iter().map(|composed| composed.name).collect());
    }

    #[test]
    fn expressions_have_every_random_operation() {
        // The one that takes no key makes one.
        let mut table = BTreeSet::from(["random_key"]);
        macro_rules! add {
            ([$($doc:literal)+] $method:ident $($rest:tt)*) => {
                table.insert(stringify!($method));
            };
        }
        for_each_random! { add }
        assert_eq!(table, RANDOM.iter().map(|&(name, _)| name).collect());
    }
}
