// The step of waves/src/lib.rs, written by hand.
@group(0) @binding(0) var<storage, read_write> old: array<f32>;
@group(0) @binding(1) var<storage, read> now: array<f32>;
@group(0) @binding(2) var<storage, read> drop: array<f32, 3>;

const N = 1024u;

@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) id: vec3u) {
    let column = id.x + 1u;
    let row = id.y + 1u;
    if column >= N - 1u {
        return;
    }
    let at = row * N + column;
    let around = now[at - N] + now[at + N] + now[at - 1u] + now[at + 1u];
    let moved = now[at] * 2.0 - old[at] + (around - now[at] * 4.0) * 0.25;
    let away = vec2f(f32(row) - drop[0], f32(column) - drop[1]);
    let near = max(1.0 - dot(away, away) / (14.0 * 14.0), 0.0);
    old[at] = moved * 0.9985 - near * near * drop[2];
}
