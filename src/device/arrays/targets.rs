//! Defines [`Targets`]: what results can be written to.

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use crate::device::arrays::view_mut::{AnyViewMut, ViewMut};
use indim_core::semantics::element::Element;
use indim_core::semantics::tuples::for_tuples;

mod sealed {
    use crate::device::arrays::view_mut::AnyViewMut;

    pub trait Sealed<'a> {
        fn add_views(self, views: &mut Vec<AnyViewMut<'a>>);
    }
}

use sealed::Sealed;

/// Arrays that results are written to ([`Bound::eval_into`](crate::Bound::eval_into)): one by
/// mutable reference, a part of one by value or by mutable reference, or several as a tuple of up to
/// eight of any types, or an array or a vector of one type. The trait is sealed, so that methods can
/// be added to it.
///
/// ```
/// let gpu = indim::Context::blocking()?;
/// let (mut x, mut y) = (gpu.array([2], &[1_f32, 2.])?, gpu.zeros::<f32>([4])?);
/// let (twice, sum) = (&x * 2.0, &x + 1.0);
/// let part = y.slice_mut([1], [3])?;
/// indim::bind((twice, sum))?.eval_into((&mut x, part))?; // an array and a part of one
/// assert_eq!(x.to_vec_blocking()?, [2., 4.]);
/// assert_eq!(y.to_vec_blocking()?, [0., 2., 3., 0.]);
/// # Ok::<(), indim::Error>(())
/// ```
pub trait Targets<'a>: Sealed<'a> {}

impl<'a, T: Sealed<'a>> Targets<'a> for T {}

/// Returns the targets, in order.
pub(crate) fn into_views<'a>(targets: impl Targets<'a>) -> Vec<AnyViewMut<'a>> {
    let mut views = Vec::new();
    targets.add_views(&mut views);
    views
}

macro_rules! targets {
    ($([$($generics:tt)*] $target:ty: |$this:ident, $views:ident| $add:expr;)*) => {$(
        impl<$($generics)*> Sealed<'a> for $target {
            fn add_views(self, $views: &mut Vec<AnyViewMut<'a>>) {
                let $this = self;
                $add
            }
        }
    )*};
}

targets! {
    ['a, T: Element] &'a mut Array<T>: |array, views| views.push(array.view_mut().into_any());
    ['a] &'a mut AnyArray: |array, views| views.push(array.view_mut());
    ['a, T: Element] ViewMut<'a, T>: |view, views| views.push(view.into_any());
    ['a] AnyViewMut<'a>: |view, views| views.push(view);
    ['a, 'b, T: Element] &'a mut ViewMut<'b, T>: |view, views| {
        views.push(view.reborrow().into_any());
    };
    ['a, 'b] &'a mut AnyViewMut<'b>: |view, views| views.push(view.reborrow());
    ['a, T: Sealed<'a>, const N: usize] [T; N]: |list, views| {
        list.into_iter().for_each(|target| target.add_views(views));
    };
    ['a, T: Sealed<'a>] Vec<T>: |list, views| {
        list.into_iter().for_each(|target| target.add_views(views));
    };
}

macro_rules! tuples {
    ($(($($target:ident $number:tt)+))*) => {$(
        impl<'a, $($target: Sealed<'a>),+> Sealed<'a> for ($($target,)+) {
            fn add_views(self, views: &mut Vec<AnyViewMut<'a>>) {
                $(self.$number.add_views(views);)+
            }
        }
    )*};
}

for_tuples! { tuples }
