
// Threefry-2x32 with 20 rounds of the key KEY_HIGH, KEY_LOW and the counters 0 and `counter`.
fn random(counter: vec4<u32>) -> vec4<u32> {
    let key = array<u32, 3>(KEY_HIGH, KEY_LOW, KEY_HIGH ^ KEY_LOW ^ 0x1bd11bdau);
    var x = vec4<u32>(key[0]);
    var y = counter + key[1];
    x += y; y = ((y << vec4<u32>(13u)) | (y >> vec4<u32>(19u))) ^ x;
    x += y; y = ((y << vec4<u32>(15u)) | (y >> vec4<u32>(17u))) ^ x;
    x += y; y = ((y << vec4<u32>(26u)) | (y >> vec4<u32>(6u))) ^ x;
    x += y; y = ((y << vec4<u32>(6u)) | (y >> vec4<u32>(26u))) ^ x;
    x += key[1]; y += key[2] + 1u;
    x += y; y = ((y << vec4<u32>(17u)) | (y >> vec4<u32>(15u))) ^ x;
    x += y; y = ((y << vec4<u32>(29u)) | (y >> vec4<u32>(3u))) ^ x;
    x += y; y = ((y << vec4<u32>(16u)) | (y >> vec4<u32>(16u))) ^ x;
    x += y; y = ((y << vec4<u32>(24u)) | (y >> vec4<u32>(8u))) ^ x;
    x += key[2]; y += key[0] + 2u;
    x += y; y = ((y << vec4<u32>(13u)) | (y >> vec4<u32>(19u))) ^ x;
    x += y; y = ((y << vec4<u32>(15u)) | (y >> vec4<u32>(17u))) ^ x;
    x += y; y = ((y << vec4<u32>(26u)) | (y >> vec4<u32>(6u))) ^ x;
    x += y; y = ((y << vec4<u32>(6u)) | (y >> vec4<u32>(26u))) ^ x;
    x += key[0]; y += key[1] + 3u;
    x += y; y = ((y << vec4<u32>(17u)) | (y >> vec4<u32>(15u))) ^ x;
    x += y; y = ((y << vec4<u32>(29u)) | (y >> vec4<u32>(3u))) ^ x;
    x += y; y = ((y << vec4<u32>(16u)) | (y >> vec4<u32>(16u))) ^ x;
    x += y; y = ((y << vec4<u32>(24u)) | (y >> vec4<u32>(8u))) ^ x;
    x += key[1]; y += key[2] + 4u;
    x += y; y = ((y << vec4<u32>(13u)) | (y >> vec4<u32>(19u))) ^ x;
    x += y; y = ((y << vec4<u32>(15u)) | (y >> vec4<u32>(17u))) ^ x;
    x += y; y = ((y << vec4<u32>(26u)) | (y >> vec4<u32>(6u))) ^ x;
    x += y; y = ((y << vec4<u32>(6u)) | (y >> vec4<u32>(26u))) ^ x;
    x += key[2]; y += key[0] + 5u;
    return x ^ y;
}

fn kept(x: vec4<f32>, position: vec4<u32>) -> vec4<f32> {
    let is_kept = (random(position) >> vec4<u32>(9u)) < vec4<u32>(KEPT);
    return select(vec4<f32>(), x / bitcast<f32>(SHARE), is_kept);
}
