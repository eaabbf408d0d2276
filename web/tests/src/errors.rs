//! The browser's errors arrive, each by the array that it hits.

use indim::{AnyArray, Array, Builder, Context, ElementType, Encoded, Error, Expr, wgpu};
use wasm_bindgen::prelude::*;

use crate::{context, ensure, thrown};

fn foreign(gpu: &Context, bytes: u64) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("a caller's"),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A context, an array of four elements, and another one of zeros in a caller-owned buffer.
struct Operands {
    gpu: Context,
    x: Array<f32>,
    buffer: wgpu::Buffer,
    theirs: Array<f32>,
}

impl Operands {
    async fn new() -> Result<Self, JsValue> {
        let gpu = context().await?;
        let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
        let buffer = foreign(&gpu, 16);
        gpu.queue().write_buffer(&buffer, 0, &[0; 16]);
        let theirs = gpu.array_from_buffer([4], buffer.clone(), 0).map_err(thrown)?;
        Ok(Self { gpu, x, buffer, theirs })
    }
}

/// Returns the text of the error, which there must be.
async fn refused(array: &Array<f32>) -> Result<String, JsValue> {
    match array.to_vec().await {
        Ok(values) => Err(thrown(format!("no error, but {:?}", &values[..values.len().min(4)]))),
        Err(error) => Ok(error.to_string()),
    }
}

/// The caller destroys a buffer before what reads it is submitted: that result is an error, and what
/// was recorded beside it, before and after, is right.
#[wasm_bindgen]
pub async fn a_destroyed_buffer_hits_its_own_results() -> Result<String, JsValue> {
    let Operands { x, buffer, theirs, .. } = Operands::new().await?;
    let before = (&x + 1.0).eval().map_err(thrown)?;
    let hit = (&theirs + &x).eval().map_err(thrown)?;
    let after = (&x * 2.0).eval().map_err(thrown)?;
    let dependent = (&hit * 2.0).eval().map_err(thrown)?;
    buffer.destroy();
    let text = refused(&hit).await?;
    ensure(text.contains("estroyed"), &text)?;
    refused(&dependent).await?;
    ensure(before.to_vec().await.map_err(thrown)? == [2., 3., 4., 5.], "before")?;
    ensure(after.to_vec().await.map_err(thrown)? == [2., 4., 6., 8.], "after")?;
    // The context goes on.
    let more = (&x - 1.0).eval().map_err(thrown)?.to_vec().await.map_err(thrown)?;
    ensure(more == [0., 1., 2., 3.], "more")?;
    Ok(text)
}

/// Batches that follow a refused one are refused where they depend on it, and else are right.
#[wasm_bindgen]
pub async fn later_batches_tell_too() -> Result<String, JsValue> {
    let Operands { gpu, x, buffer, theirs } = Operands::new().await?;
    let hit = (&theirs + &x).eval().map_err(thrown)?;
    buffer.destroy();
    gpu.flush().map_err(thrown)?;
    let dependent = (&hit * 2.0).eval().map_err(thrown)?;
    let other = (&x * 3.0).eval().map_err(thrown)?;
    gpu.flush().map_err(thrown)?;
    let text = refused(&dependent).await?;
    refused(&hit).await?;
    ensure(other.to_vec().await.map_err(thrown)? == [3., 6., 9., 12.], "other")?;
    Ok(text)
}

/// The first result of commands in an encoder.
fn first(encoded: &Encoded) -> Result<Array<f32>, JsValue> {
    let result = encoded.results().first().ok_or_else(|| thrown("it has no result"))?;
    result.clone().downcast().map_err(thrown)
}

/// What a caller's encoder has computed from an array that is refused later is an error, and so is
/// what it has computed from that; the rest is right.
#[wasm_bindgen]
pub async fn encoded_results_that_read_a_refused_array() -> Result<String, JsValue> {
    let mut builder = Builder::new();
    let p = builder.parameter(ElementType::F32, [4]).map_err(thrown)?;
    let sum = builder.add(p, p, &[]).map_err(thrown)?;
    let twice = builder.build(sum).map_err(thrown)?;
    let Operands { gpu, x, buffer, theirs } = Operands::new().await?;
    let mut target = gpu.array([4], &[0f32; 4]).map_err(thrown)?;
    gpu.flush().map_err(thrown)?;
    let hit = (&theirs + &x).eval().map_err(thrown)?;
    buffer.destroy();
    // The batch goes before the encoder's commands, which read its result; its answer comes later.
    let mut encoder =
        gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let of_hit =
        twice.on(&gpu, &[hit.as_any()]).and_then(|f| f.encode(&mut encoder)).map_err(thrown)?;
    let of_x =
        twice.on(&gpu, &[x.as_any()]).and_then(|f| f.encode(&mut encoder)).map_err(thrown)?;
    let value = first(&of_hit)?.expr() + 1.0;
    let into = value.encode_into(&mut encoder, &mut target).map_err(thrown)?;
    gpu.queue().submit([encoder.finish()]);
    for encoded in [&of_hit, &of_x, &into] {
        encoded.submitted();
    }
    let text = refused(&first(&of_hit)?).await?;
    refused(&target).await?;
    refused(&hit).await?;
    ensure(first(&of_x)?.to_vec().await.map_err(thrown)? == [2., 4., 6., 8.], "of x")?;
    Ok(text)
}

/// Work after the loss of the device is an error that says so.
#[wasm_bindgen]
pub async fn a_lost_device_is_an_error() -> Result<String, JsValue> {
    let gpu = context().await?;
    let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
    let y = (&x + 1.0).eval().map_err(thrown)?;
    gpu.device().destroy();
    let read: Result<Vec<f32>, Error> = y.to_vec().await;
    let waited = gpu.wait_async().await;
    let text = match (read, waited) {
        (Err(error), Err(_)) => error.to_string(),
        (read, waited) => return Err(thrown(format!("{read:?}, {waited:?}"))),
    };
    ensure(gpu.array([1], &[1f32]).is_err(), "an upload went well")?;
    Ok(text)
}

/// Two tasks that read at once both end, whichever the browser answers first.
#[wasm_bindgen]
pub async fn a_dropped_reading_leaves_the_others() -> Result<String, JsValue> {
    let gpu = context().await?;
    let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
    let y = (&x + 1.0).eval().map_err(thrown)?;
    let y: &AnyArray = y.as_any();
    {
        let reading = std::pin::pin!(y.to_literal());
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        let polled = std::future::Future::poll(reading, &mut task);
        ensure(polled.is_pending(), "it was read at once")?;
    }
    let again = (&x + 2.0).eval().map_err(thrown)?;
    ensure(again.to_vec().await.map_err(thrown)? == [3., 4., 5., 6.], "again")?;
    y.to_literal().await.map_err(thrown)?;
    Ok(String::new())
}

/// A batch that was refused had an upload of its own: it is made again, too.
#[wasm_bindgen]
pub async fn uploads_of_a_refused_batch_are_made_again() -> Result<String, JsValue> {
    const COUNT: usize = 20_000;
    let Operands { gpu, buffer, theirs, .. } = Operands::new().await?;
    gpu.flush().map_err(thrown)?;
    let x = gpu.array([COUNT], &vec![3f32; COUNT]).map_err(thrown)?;
    let y = (&x * 2.0).eval().map_err(thrown)?;
    let hit = (&theirs + 1.0).eval().map_err(thrown)?;
    buffer.destroy();
    refused(&hit).await?;
    ensure(y.to_vec().await.map_err(thrown)? == vec![6f32; COUNT], "the result")?;
    ensure(x.to_vec().await.map_err(thrown)? == vec![3f32; COUNT], "the upload")?;
    Ok(String::new())
}

async fn read(what: &str, array: &Array<f32>) -> Result<Vec<f32>, JsValue> {
    array.to_vec().await.map_err(|error| thrown(format!("{what}: {error}")))
}

/// A buffer for which there is no memory hits the results that need it, and what needs less is right
/// meanwhile. `give_memory` ends the shortage, and the same expression has its values.
#[wasm_bindgen]
pub async fn a_shortage_hits_what_needs_the_memory(
    give_memory: js_sys::Function,
) -> Result<String, JsValue> {
    const COUNT: i64 = 1 << 20;
    let gpu = context().await?;
    let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
    let two = gpu.array([1], &[2f32]).map_err(thrown)?;
    let large = || (Expr::iota(&[COUNT], 0) * &two).eval().map_err(thrown);
    let before = (&x + 1.0).eval().map_err(thrown)?;
    // Where it is refused at once, there is no array to ask.
    let text = match large() {
        Err(error) => js_sys::Error::from(error).message().into(),
        Ok(hit) => {
            let dependent = (&hit + 1.0).eval().map_err(thrown)?;
            let text = refused(&hit).await?;
            refused(&dependent).await?;
            text
        }
    };
    ensure(text.contains("memory"), &text)?;
    let after = (&x * 2.0).eval().map_err(thrown)?;
    ensure(read("before", &before).await? == [2., 3., 4., 5.], "before")?;
    ensure(read("after", &after).await? == [2., 4., 6., 8.], "after")?;
    give_memory.call0(&JsValue::NULL)?;
    let values = read("with memory", &large()?).await?;
    ensure(values.len() == COUNT as usize && values[1000] == 2000., "with memory")?;
    Ok(text)
}

/// The context of a page that submits in each turn and waits for nothing. [`Turns::take`] is a turn.
#[wasm_bindgen]
pub struct Turns {
    gpu: Context,
    x: Array<f32>,
}

#[wasm_bindgen]
impl Turns {
    pub async fn open() -> Result<Turns, JsValue> {
        let gpu = context().await?;
        let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
        Ok(Self { gpu, x })
    }

    pub fn take(&mut self) -> Result<(), JsValue> {
        self.x = (&self.x + 1.0).eval().map_err(thrown)?;
        self.gpu.flush().map_err(thrown)
    }

    pub async fn first(&self) -> Result<f32, JsValue> {
        Ok(self.x.to_vec().await.map_err(thrown)?[0])
    }
}

/// A device draws into a canvas, and the library computes on it meanwhile. An error of its owner's is
/// its owner's.
#[wasm_bindgen]
pub async fn a_device_is_shared_with_a_canvas() -> Result<String, JsValue> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let canvas = web_sys::OffscreenCanvas::new(8, 8)?;
    let surface =
        instance.create_surface(wgpu::SurfaceTarget::OffscreenCanvas(canvas)).map_err(thrown)?;
    let options = wgpu::RequestAdapterOptions {
        compatible_surface: Some(&surface),
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&options).await.map_err(thrown)?;
    let (device, queue) =
        adapter.request_device(&wgpu::DeviceDescriptor::default()).await.map_err(thrown)?;
    let config = surface.get_default_config(&adapter, 8, 8).ok_or_else(|| thrown("no format"))?;
    surface.configure(&device, &config);

    let gpu = Context::from_device(device.clone(), queue.clone()).map_err(thrown)?;
    gpu.calibrate().await.map_err(thrown)?;
    let x = gpu.array([4], &[1f32, 2., 3., 4.]).map_err(thrown)?;
    let owners = device.push_error_scope(wgpu::ErrorFilter::Validation);
    for frame in 0..3 {
        let y = (&x * (frame as f32)).eval().map_err(thrown)?;
        let wgpu::CurrentSurfaceTexture::Success(texture) = surface.get_current_texture() else {
            return Err(thrown("no texture of the canvas"));
        };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLUE),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        }));
        queue.submit([encoder.finish()]);
        queue.present(texture);
        let values = y.to_vec().await.map_err(|e| thrown(format!("frame {frame}: {e}")))?;
        ensure(values[3] == 4.0 * frame as f32, "values between frames")?;
    }
    // The owner's own mistake: a buffer that maps for reading and is a vertex buffer, too.
    let mistake = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::VERTEX;
    drop(device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: mistake,
        mapped_at_creation: false,
    }));
    let y = (&x + 1.0).eval().map_err(thrown)?;
    ensure(y.to_vec().await.map_err(thrown)? == [2., 3., 4., 5.], "after the mistake")?;
    ensure(owners.pop().await.is_some(), "the owner did not hear of it")?;
    device.destroy();
    gpu.notify_lost("the owner has destroyed it");
    refused(&y).await
}
