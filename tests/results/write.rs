//! Tests writing elements of host memory into existing arrays and parts of them.

use indim::half::f16;
use indim::num_complex::Complex32;
use indim::{AnyArray, Array, ArrayError, Element, Error, Literal, Result, S4, wgpu};
use indim_testing::contexts::{dispatches, gpu, iota, values};

/// Writes to whole arrays and to parts of them, with and without another holder.
fn writes_of<T: Element>(old: [T; 15], new: [T; 15]) {
    let gpu = gpu();
    let literal = |elements: &[T]| Literal::from_slice([3, 5], elements).unwrap();
    let check = |array: &AnyArray, elements: &[T]| {
        assert_eq!(array.to_literal_blocking().unwrap(), literal(elements));
    };
    // Columns 1 and 3, the last row first.
    let places = [11, 13, 6, 8, 1, 3];
    let mut with_part = old;
    places.iter().zip(&new).for_each(|(&place, &element)| with_part[place] = element);
    for is_held in [false, true] {
        let mut x = gpu.array([3, 5], &old).unwrap();
        let held = is_held.then(|| x.clone());
        let part = |x: &mut Array<T>, elements: &[T]| -> Result<()> {
            x.slice_mut([0, 1], [3, 4])?.step_by([1, 2])?.reverse([0])?.write(elements)
        };
        part(&mut x, &new[..6]).unwrap();
        check(x.as_any(), &with_part);
        x.write(&new).unwrap();
        check(x.as_any(), &new);
        // All elements, but not in their order.
        x.slice_mut([0, 0], [3, 5]).unwrap().reverse([0, 1]).unwrap().write(&old).unwrap();
        let mut reversed = old;
        reversed.reverse();
        check(x.as_any(), &reversed);
        held.iter().for_each(|held| check(held.as_any(), &old));

        let mut any = gpu.upload(&literal(&old)).unwrap();
        let held = is_held.then(|| any.clone());
        let elements = Literal::from_slice([3, 2], &new[..6]).unwrap();
        let columns = any.view_mut().slice([0, 1], [3, 4]).unwrap().step_by([1, 2]).unwrap();
        columns.reverse([0]).unwrap().write(&elements).unwrap();
        check(&any, &with_part);
        any.write(&literal(&new)).unwrap();
        check(&any, &new);
        held.iter().for_each(|held| check(held, &old));
    }
}

fn each<T: Default + Copy>(element: impl Fn(i32) -> T) -> [T; 15] {
    let mut all = [T::default(); 15];
    all.iter_mut().zip(0..).for_each(|(place, i)| *place = element(i));
    all
}

#[test]
fn elements_of_every_width_are_written_bit_for_bit() {
    writes_of(each(|i| i % 3 == 0), each(|i| i % 2 == 0));
    writes_of([S4::wrapping(-3); 15], std::array::from_fn(|i| S4::wrapping(i as i8)));
    writes_of(each(|i| i as u8), each(|i| 200 + i as u8));
    writes_of(each(|i| f16::from_f32(i as f32)), each(|i| f16::from_bits(0x7bf2 + i as u16)));
    // Quiet and signalling NaN.
    writes_of(each(|i| i as f32), each(|i| f32::from_bits(0xffbf_fff8 + i as u32)));
    writes_of(each(|i| -i64::from(i)), each(|i| i64::MAX - i64::from(i)));
    writes_of(each(|i| Complex32::new(i as f32, -0.0)), each(|i| Complex32::new(0.5, i as f32)));
}

#[test]
fn a_whole_array_is_written_without_a_kernel_and_gives_back_its_memory() -> Result<()> {
    let gpu = gpu();
    let mut x = gpu.array([1 << 18], &vec![1.0; 1 << 18])?;
    let new = iota(1 << 18);
    x.write(&new)?;
    let before = gpu.memory();
    assert_eq!(dispatches(&gpu, || (0..10).for_each(|_| x.write(&new).unwrap())), 0);
    assert_eq!(gpu.memory().in_use, before.in_use);
    assert_eq!(values(&x), new);
    // A part of an array that nothing else holds: one copy on the device.
    let part = x.slice_mut([0], [10])?;
    assert_eq!(dispatches(&gpu, || part.write(&[0.0; 10]).unwrap()), 1);
    assert_eq!(values(&x)[9..12], [0.0, 10.0, 11.0]);
    Ok(())
}

#[test]
fn operations_see_the_elements_from_before_later_writes() -> Result<()> {
    let gpu = gpu();
    let mut x = gpu.array([4], &[1.0f32, 2., 3., 4.])?;
    for in_place in [false, true] {
        x.write(&[1., 2., 3., 4.])?;
        if in_place {
            x.always_in_place();
        }
        let first = (&x * 2.0).eval()?;
        x.write(&[5., 6., 7., 8.])?;
        let second = (&x * 2.0).eval()?;
        x.slice_mut([1], [3])?.write(&[0., 0.])?;
        let third = (&x * 2.0).eval()?;
        assert_eq!(values(&first), [2., 4., 6., 8.]);
        assert_eq!(values(&second), [10., 12., 14., 16.]);
        assert_eq!(values(&third), [10., 0., 0., 16.]);
    }
    Ok(())
}

#[test]
fn arrays_known_outside_are_written_in_place() -> Result<()> {
    let gpu = gpu();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 32,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut theirs = gpu.array_from_buffer::<f32>([4], buffer.clone(), 8)?;
    let whole = gpu.array_from_buffer::<f32>([8], buffer, 0)?;
    let seen = theirs.clone();
    theirs.write(&[1., 2., 3., 4.])?;
    theirs.slice_mut([3], [4])?.write(&[5.])?;
    assert_eq!(values(&seen), [1., 2., 3., 5.]);
    assert_eq!(values(&whole), [0., 0., 1., 2., 3., 5., 0., 0.]);

    let mut given = gpu.array([2], &[0.0f32; 2])?;
    let seen = given.clone();
    let range = given.buffer()?;
    given.write(&[1., 2.])?;
    assert_eq!(values(&seen), [1., 2.]);
    assert_eq!(given.buffer()?.buffer, range.buffer);
    Ok(())
}

#[test]
fn encoders_that_are_not_submitted_keep_what_they_use() -> Result<()> {
    let gpu = gpu();
    let mut x = gpu.array([2], &[1.0f32, 2.])?;
    let mut target = gpu.array([2], &[0.0f32; 2])?;
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let encoded = (&x * 2.0).encode_into(&mut encoder, &mut target)?;
    x.write(&[10., 20.])?;
    let refused = target.write(&[0.0; 2]).unwrap_err();
    assert!(matches!(refused, Error::Array(ArrayError::NotSubmitted)), "{refused}");
    gpu.queue().submit([encoder.finish()]);
    encoded.submitted();
    assert_eq!((values(&x), values(&target)), (vec![10., 20.], vec![2., 4.]));
    target.write(&[0.0; 2])?;
    assert_eq!(values(&target), [0.0; 2]);
    Ok(())
}

#[test]
fn elements_that_do_not_fit_are_refused() {
    let gpu = gpu();
    let mut x = gpu.array([2, 3], &iota(6)).unwrap();
    let message = |result: Result<()>| result.unwrap_err().to_string();
    assert_eq!(message(x.write(&[1.0; 5])), "shape [2, 3] has 6 elements, but 5 were given");
    let part = x.slice_mut([0, 0], [2, 1]).unwrap();
    assert_eq!(message(part.write(&[1.0; 3])), "shape [2, 1] has 2 elements, but 3 were given");
    let mut any = x.as_any().clone();
    let literal = Literal::from_slice([3, 2], &[1.0f32; 6]).unwrap();
    assert_eq!(
        message(any.write(&literal)),
        "the literal's shape is [3, 2] and its target's is [2, 3]; they must be equal"
    );
    let literal = Literal::from_slice([2, 3], &[1i32; 6]).unwrap();
    assert_eq!(message(any.write(&literal)), "the array's element type is f32, not s32");
    assert_eq!(values(&x), iota(6));
    let mut empty = gpu.array::<f32>([0, 3], &[]).unwrap();
    empty.write(&[]).unwrap();
    assert_eq!(message(empty.write(&[1.0])), "shape [0, 3] has 0 elements, but 1 was given");
}
