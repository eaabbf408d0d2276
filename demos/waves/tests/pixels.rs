//! Compares the pool with one that loops over the points compute on the host.

use shell::Demo as _;
use waves::Waves;

const N: usize = 1024;

/// Sums, products and floors are rounded as Rust's: only the texture's 8 bits differ. Vulkan rounds
/// to the nearest level, but at a tie to either; half a level is what rounding costs.
const LEVELS: f32 = 0.51;

#[test]
fn the_pool_is_as_loops_on_the_host_compute_it() {
    let (mut old, mut now) = (vec![0.0_f32; N * N], vec![0.0_f32; N * N]);
    shell::frames::<Waves>(4, |frame, picture| {
        let input = Waves::rehearsal(frame);
        let height = if input.pressed { 0.4 } else { 0.0 };
        for _ in 0..4 {
            step(&mut old, &now, [input.pointer[1], input.pointer[0], height]);
            std::mem::swap(&mut old, &mut now);
        }
        let difference = picture.difference(0, |row, column| colour(&now, row, column));
        assert!(difference <= LEVELS, "frame {frame}: {difference} levels");
        Ok(())
    })
    .unwrap();
    assert!(now.iter().any(|&height| height < -0.1), "a drop has fallen");
}

#[test]
fn users_do_not_break_it() {
    shell::exercise::<Waves>(|_| Ok(())).unwrap();
}

/// Central differences, a drop, and fixed walls.
fn step(old: &mut [f32], now: &[f32], [drop_row, drop_column, height]: [f32; 3]) {
    for row in 1..N - 1 {
        for column in 1..N - 1 {
            let at = row * N + column;
            let around = now[at - N] + now[at + N] + now[at - 1] + now[at + 1];
            let moved = now[at] * 2.0 - old[at] + (around - now[at] * 4.0) * 0.25;
            let (down, right) = (row as f32 - drop_row, column as f32 - drop_column);
            let near = (1.0 - (down * down + right * right) * (1.0 / (14.0 * 14.0))).max(0.0);
            old[at] = moved * 0.9985 - near * near * height;
        }
    }
}

fn colour(now: &[f32], row: usize, column: usize) -> [f32; 3] {
    let height = |row: usize, column: usize| now[row % N * N + column % N];
    let (above, below) = (height(row + N - 1, column), height(row + 1, column));
    let (left, right) = (height(row, column + N - 1), height(row, column + 1));
    let (slope_down, slope_right) = (below - above, right - left);
    let focus = height(row, column) * 4.0 - (above + left + below + right);
    let light = (focus * 6.0 + 1.0).clamp(0.45, 2.2);
    let seam = |slope: f32, index: usize| {
        let place = (index as f32 + slope * 55.0) * (1.0 / 64.0);
        ((place - place.floor() - 0.5).abs() * 16.0 - 7.2).clamp(0.0, 0.6)
    };
    let seams = seam(slope_down, row).max(seam(slope_right, column));
    let shine = ((slope_down + slope_right) * 2.0 - 0.12).clamp(0.0, 1.0);
    let floor = light * (1.0 - seams);
    [0.35, 0.78, 0.90].map(|water| floor * water * 0.72 + shine * shine + 0.04)
}
