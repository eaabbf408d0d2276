//! Compares the field in egui's window with one that loops over the points compute on the host.

use reaction_diffusion::ReactionDiffusion;
use shell::Demo as _;

const N: usize = 512;

/// Sums and products are rounded as Rust's. The texture's 8 bits are then drawn by a sampler, at
/// the middle of each texel: a level more than rounding costs.
const LEVELS: f32 = 1.51;

#[test]
fn the_field_is_as_loops_on_the_host_compute_it() {
    let [mut u, mut v] = reaction_diffusion::start();
    shell::frames::<ReactionDiffusion>(6, |frame, picture| {
        let input = ReactionDiffusion::rehearsal(frame);
        let left = picture.width - N;
        let place = [input.pointer[1], input.pointer[0] - left as f32];
        for _ in 0..16 {
            (u, v) = step(&u, &v, input.pressed.then_some(place));
        }
        let difference = picture.difference(left, |row, column| colour(&v, row, column - left));
        assert!(difference <= LEVELS, "frame {frame}: {difference} levels");
        Ok(())
    })
    .unwrap();
    let amounts = || u.iter().chain(&v);
    assert!(amounts().all(|amount| (0.0..=1.0).contains(amount)), "nothing is less than none");
}

/// The button makes more of what grows, and never less than nothing of anything: below zero, the
/// reaction goes to infinity within some frames.
#[test]
fn users_do_not_break_it() {
    let mut rounds = 0;
    shell::exercise::<ReactionDiffusion>(|values| {
        let strange = values.iter().filter(|value| !(0.0..=1.0).contains(*value)).count();
        assert_eq!(strange, 0, "amounts beyond 0 to 1 in round {rounds}");
        rounds += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(rounds, 6);
}

/// Returns the sum of the neighbours at these distances; beyond an edge is the opposite one.
fn around(x: &[f32], row: usize, column: usize, places: [[usize; 2]; 2]) -> f32 {
    let at = |[down, right]: [usize; 2]| x[(row + down) % N * N + (column + right) % N];
    at(places[0]) + at(places[1])
}

fn step(u: &[f32], v: &[f32], brush: Option<[f32; 2]>) -> (Vec<f32>, Vec<f32>) {
    let (feed, kill) = (0.0545_f32, 0.062_f32);
    let (mut next_u, mut next_v) = (vec![0.0; N * N], vec![0.0; N * N]);
    for row in 0..N {
        for column in 0..N {
            let at = row * N + column;
            let laplacian = |x: &[f32]| {
                let beside = around(x, row, column, [[N - 1, 0], [1, 0]])
                    + around(x, row, column, [[0, N - 1], [0, 1]]);
                let corners = around(x, row, column, [[N - 1, N - 1], [1, N - 1]])
                    + around(x, row, column, [[N - 1, 1], [1, 1]]);
                beside * 0.2 + corners * 0.05 - x[at]
            };
            let near = brush.is_some_and(|[down, right]| {
                let (down, right) = (row as f32 - down, column as f32 - right);
                down * down + right * right < 81.0
            });
            let reaction = u[at] * (v[at] * v[at] + if near { 0.1 } else { 0.0 });
            next_u[at] = u[at] + laplacian(u) * 1.0 - reaction - u[at] * feed + feed;
            next_v[at] = v[at] + laplacian(v) * 0.5 + reaction - v[at] * (feed + kill);
        }
    }
    (next_u, next_v)
}

fn colour(v: &[f32], row: usize, column: usize) -> [f32; 3] {
    let at = |row: usize, column: usize| v[row % N * N + column % N];
    let light = (at(row + N - 1, column + N - 1) - at(row + 1, column + 1)) * -1.6;
    let t = at(row, column) * 6.0;
    let (low, high) = (t.clamp(0.0, 1.0), (t - 1.0).clamp(0.0, 1.0));
    let (ground, edge, middle) = ([0.04, 0.07, 0.16], [0.03, 0.36, 0.44], [0.78, 0.28, -0.32]);
    [0, 1, 2].map(|i| low * edge[i] + high * middle[i] + light + ground[i])
}
