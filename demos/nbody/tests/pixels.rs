//! Compares the galaxies with those that loops over the bodies compute on the host.

use nbody::{BODIES, Bodies, Galaxies, RADIUS, SCALE, SIZE, SOFTENING, STEP};

/// Sums are rounded as if in F64, roots to an ULP; half a level is what rounding to 8 bits costs.
const LEVELS: f32 = 0.55;

#[test]
fn the_galaxies_are_as_loops_on_the_host_compute_them() {
    let mut bodies = nbody::galaxies();
    shell::frames::<Galaxies>(4, |frame, picture| {
        step(&mut bodies);
        let light = light(&bodies);
        let difference = picture.difference(0, |row, column| {
            let light = light[row * SIZE as usize + column];
            [0.55, 0.8, 1.6].map(|tint| light * tint / (light * tint + 0.6))
        });
        assert!(difference <= LEVELS, "frame {frame}: {difference} levels");
        Ok(())
    })
    .unwrap();
}

#[test]
fn no_array_of_three_dimensions_is_stored() {
    let gpu = indim::Context::blocking().unwrap();
    let places = gpu.zeros::<f32>([BODIES, 3]).unwrap();
    let masses = gpu.zeros::<f32>([BODIES]).unwrap();
    let explained = nbody::attraction(&places, &masses).explain().unwrap();
    let largest = explained.kernels.iter().map(|kernel| kernel.bytes_written).max().unwrap();
    assert!(largest <= (BODIES * BODIES * 4) as u64, "{explained}");
}

#[test]
fn users_do_not_break_it() {
    shell::exercise::<Galaxies>(|_| Ok(())).unwrap();
}

fn step(Bodies { places, velocities, masses }: &mut Bodies) {
    for (body, velocity) in velocities.iter_mut().enumerate() {
        let mut pulled = [0.0_f64; 3];
        for (other, &mass) in masses.iter().enumerate() {
            let apart = [0, 1, 2].map(|d| places[other][d] - places[body][d]);
            let squares: f64 = apart.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            let nearness = 1.0 / (squares + f64::from(SOFTENING)).sqrt();
            let pull = nearness.powi(3) * f64::from(mass);
            (0..3).for_each(|d| pulled[d] += f64::from(apart[d]) * pull);
        }
        (0..3).for_each(|d| velocity[d] += pulled[d] as f32 * STEP);
    }
    for (place, velocity) in places.iter_mut().zip(velocities) {
        (0..3).for_each(|d| place[d] += velocity[d] * STEP);
    }
}

fn light(bodies: &Bodies) -> Vec<f32> {
    let bells = |dimension: usize| -> Vec<f32> {
        let pixels = (0..SIZE).flat_map(|pixel| (0..BODIES).map(move |body| (pixel, body)));
        let bell = |(pixel, body): (i64, usize)| {
            let at = bodies.places[body][dimension] * SCALE + (SIZE / 2) as f32;
            (-((pixel as f32 - at) / RADIUS).powi(2)).exp()
        };
        pixels.map(bell).collect()
    };
    let (right, down) = (bells(0), bells(1));
    let rows = |bells: &[f32], at: usize| bells[at * BODIES..][..BODIES].to_vec();
    let size = SIZE as usize;
    let mut light = Vec::with_capacity(size * size);
    for row in 0..size {
        let down = rows(&down, row);
        for column in 0..size {
            let products = right[column * BODIES..][..BODIES].iter().zip(&down);
            light.push(products.map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>() as f32);
        }
    }
    light
}
