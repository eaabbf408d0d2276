@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
}

// One triangle that covers the viewport.
@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let place = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return Corner(vec4f(place * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), place);
}

@fragment
fn colour(corner: Corner) -> @location(0) vec4f {
    return textureSample(picture, linear, corner.place);
}
