//! [`debug_is_text`]: makes `{:?}` print an error's message, for `unwrap` and for a `main` that
//! returns the error.

/// Defines an error whose `{:?}` is its message, as its `Display` writes it. `{:#?}` writes the
/// variant with its fields, as `#[derive(Debug)]` does. For this project's crates only, because the
/// macro refers to itself by its name.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_is_text {
    // Each of these writes one variant's data, if the error is that variant.
    (@data $this:ident $f:ident #[cfg($($when:tt)*)] $($rest:tt)*) => {
        #[cfg($($when)*)]
        {
            debug_is_text!(@data $this $f $($rest)*);
        }
    };
    (@data $this:ident $f:ident #[$($other:tt)*] $($rest:tt)*) => {
        debug_is_text!(@data $this $f $($rest)*);
    };
    (@data $this:ident $f:ident $variant:ident) => {
        if let Self::$variant = $this {
            return $f.write_str(stringify!($variant));
        }
    };
    (@data $this:ident $f:ident $variant:ident {
        $($(#[$($on:tt)*])* $field:ident : $type:ty),* $(,)?
    }) => {
        if let Self::$variant { $($field),* } = $this {
            return $f
                .debug_struct(stringify!($variant))
                $(.field(stringify!($field).trim_start_matches("r#"), $field))*
                .finish();
        }
    };
    (@data $this:ident $f:ident $variant:ident ($(#[$($on:tt)*])* $type:ty)) => {
        if let Self::$variant(inner) = $this {
            return $f.debug_tuple(stringify!($variant)).field(inner).finish();
        }
    };
    (@debug $name:ident $this:ident $f:ident $data:block) => {
        impl ::core::fmt::Debug for $name {
            fn fmt(&$this, $f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                if $f.alternate() $data
                ::core::fmt::Display::fmt($this, $f)
            }
        }
    };
    (
        $(#[$($attribute:tt)*])*
        pub enum $name:ident {
            $(
                $(#[$($on:tt)*])*
                $variant:ident $({ $($fields:tt)* })? $(($($inner:tt)*))?
            ),* $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        pub enum $name {
            $($(#[$($on)*])* $variant $({ $($fields)* })? $(($($inner)*))?),*
        }
        debug_is_text!(@debug $name self f {
            $(debug_is_text!(
                @data self f $(#[$($on)*])* $variant $({ $($fields)* })? $(($($inner)*))?
            );)*
        });
    };
    (
        $(#[$($attribute:tt)*])*
        pub struct $name:ident {
            $($(#[$($on:tt)*])* $visible:vis $field:ident : $type:ty),* $(,)?
        }
    ) => {
        $(#[$($attribute)*])*
        pub struct $name {
            $($(#[$($on)*])* $visible $field: $type),*
        }
        debug_is_text!(@debug $name self f {
            let Self { $($field),* } = self;
            return f
                .debug_struct(stringify!($name))
                $(.field(stringify!($field), $field))*
                .finish();
        });
    };
}
pub use debug_is_text;
