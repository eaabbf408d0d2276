//! Compares the developed photograph with what a loop over its pixels computes on the host.

use shell::{Demo as _, Input};
use tonemap::{Photograph, Tonemap};

/// Sums, products and quotients are rounded as Rust's, and powers have 4 ULP, which is below a
/// hundredth of a level: half a level is what rounding to 8 bits costs.
const LEVELS: f32 = 0.51;

#[test]
fn the_photograph_is_developed_as_loops_on_the_host_do_it() {
    let photograph = Photograph::made_up();
    let [width, height] = photograph.size();
    let (mut exposure, mut warmth, mut vignette) = (0.0_f32, 0.0_f32, 0.3_f32);
    shell::frames::<Tonemap>(4, |frame, picture| {
        let Input { pointer, scroll, .. } = Tonemap::rehearsal(frame);
        if frame > 0 {
            let before = Tonemap::rehearsal(frame - 1).pointer;
            exposure += 6.0 * (pointer[0] - before[0]) / width as f32;
            vignette += 2.0 * (pointer[1] - before[1]) / height as f32;
        }
        warmth += 0.05 * scroll;
        let gains = [exposure + warmth, exposure, exposure - warmth].map(f32::exp2);
        let difference = picture.difference(0, |row, column| {
            let middle = [height, width].map(|size| (size - 1) as f32 / 2.0);
            let down = (row as f32 - middle[0]) * 2.0 / width as f32;
            let right = (column as f32 - middle[1]) * 2.0 / width as f32;
            let falls = ((down * down + right * right) * vignette + 1.0).powi(-2);
            let light = photograph.pixels[row * width + column];
            [0, 1, 2].map(|channel| shown(light[channel] * gains[channel] * falls))
        });
        assert!(difference <= LEVELS, "frame {frame}: {difference} levels");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_large_photograph_is_made_smaller_by_means_of_squares() {
    let path = std::env::temp_dir().join(format!("tonemap-{}.png", std::process::id()));
    let (width, height) = (4100_u32, 7_u32);
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    // Every third column is white, and so is one in each square.
    let white = |at: u32| if at % width % 3 == 1 { [255; 3] } else { [0; 3] };
    let bytes: Vec<u8> = (0..width * height).flat_map(white).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    let photograph = Photograph::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(photograph.size(), [1366, 2]);
    assert_eq!(photograph.pixels.len(), 1366 * 2);
    let third = 1.0_f32 / 3.0;
    for pixel in &photograph.pixels {
        assert!(
            pixel[..3].iter().all(|x| (x - third).abs() < 1e-6) && pixel[3] == 1.0,
            "{pixel:?}"
        );
    }

    let missing = Photograph::read("no/such.png".as_ref()).unwrap_err().to_string();
    assert!(missing.starts_with("no/such.png: "), "{missing}");
}

#[test]
fn users_do_not_break_it() {
    shell::exercise::<Tonemap>(|values| {
        assert!(values.iter().all(|value| (0.0..=1.001).contains(value)), "all are colours");
        Ok(())
    })
    .unwrap();
}

/// The filmic curve, and sRGB's transfer function.
fn shown(x: f32) -> f32 {
    let y = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14);
    let y = y.clamp(0.0, 1.0);
    if y <= 0.0031308 { 12.92 * y } else { 1.055 * y.powf(1.0 / 2.4) - 0.055 }
}
