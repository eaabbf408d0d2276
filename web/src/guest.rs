//! What the page made on its own WebGPU device: buffers, textures and command encoders.
//!
//! wgpu 30 wraps a texture that JavaScript made, but no device, buffer or encoder (wgpu's issue
//! 4067). Its backend calls WebGPU's methods by name, though. So for the length of one call, [`lend`]
//! replaces the method that makes such an object, on that one receiver, by one that returns the
//! page's object.

use indim::wgpu;
use indim::{AnyArray, AnyExpr, Array, Bound, Context, ElementType, Encoded, Scalar};
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;

use crate::context::Context as Opened;
use crate::expr::Expr;
use crate::number;
use crate::{element_type, refused, thrown};

/// Returns what `call` returns, during which `method` of `object` returns `value`.
fn lend<T>(
    object: &JsValue,
    method: &str,
    value: &JsValue,
    call: impl FnOnce() -> T,
) -> Result<T, JsValue> {
    let (receiver, name) = (object.unchecked_ref::<Object>(), JsValue::from(method));
    let own = Reflect::get_own_property_descriptor(receiver, &name)?;
    let value = value.clone();
    let stand_in = Closure::<dyn FnMut() -> JsValue>::new(move || value.clone());
    if !Reflect::set(object, &name, stand_in.as_ref())? {
        return Err(thrown(format!("{method} cannot be replaced: the object is frozen")));
    }
    let result = call();
    if own.is_undefined() {
        Reflect::delete_property(receiver, &name)?;
    } else {
        Reflect::define_property(receiver, &name, own.unchecked_ref())?;
    }
    Ok(result)
}

fn property(object: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    Reflect::get(object, &name.into())
}

fn number(object: &JsValue, name: &str) -> Result<f64, JsValue> {
    let found = property(object, name)?.as_f64();
    found.ok_or_else(|| thrown(format!("the object of WebGPU has no {name}")))
}

/// Returns the page's device as wgpu's.
async fn device(device: &JsValue) -> Result<(wgpu::Device, wgpu::Queue), JsValue> {
    let gpu = property(&property(&js_sys::global(), "navigator")?, "gpu")?;
    let adapter = Object::new();
    let properties = [("features", "features"), ("limits", "limits"), ("info", "adapterInfo")];
    for (name, of_device) in properties {
        Reflect::set(&adapter, &name.into(), &property(device, of_device)?)?;
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions::default();
    let found = Promise::resolve(&adapter);
    let found = lend(&gpu, "requestAdapter", &found, || instance.request_adapter(&options))?;
    let found = found.await.map_err(thrown)?;
    let request = wgpu::DeviceDescriptor::default();
    let given = Promise::resolve(device);
    let given = lend(&adapter, "requestDevice", &given, || found.request_device(&request))?;
    given.await.map_err(thrown)
}

#[wasm_bindgen(js_class = Context)]
impl Opened {
    /// Computes on a device of the page.
    #[wasm_bindgen(js_name = ofDevice)]
    pub async fn of_device(of_page: JsValue) -> Result<Self, JsValue> {
        let (device, queue) = device(&of_page).await?;
        let inner = Context::from_device(device, queue).map_err(refused)?;
        inner.calibrate().await.map_err(refused)?;
        Ok(Self { inner })
    }

    /// Returns a value whose elements are those of a buffer of the page.
    #[wasm_bindgen(js_name = arrayFrom)]
    pub fn array_from(
        &self,
        buffer: &JsValue,
        shape: &[f64],
        of_type: &str,
        offset: f64,
    ) -> Result<Expr, JsValue> {
        array_from(&self.inner, buffer, shape, of_type, offset)
    }

    /// Returns the buffer that has a value's elements, their offset and their size in bytes.
    pub fn buffer(&self, expr: &Expr) -> Result<Vec<JsValue>, JsValue> {
        let array = self.here(std::slice::from_ref(expr), |values| self.inner.eval(values));
        let array = array.map_err(refused)?;
        array.first().map_or(Ok(Vec::new()), range_of)
    }

    /// Returns a wrapper of a command encoder of the page.
    pub fn encoder(&self, encoder: &JsValue) -> Result<Encoder, JsValue> {
        Encoder::of(&self.inner, encoder)
    }

    /// Reports that a device of the page is lost.
    #[wasm_bindgen(js_name = notifyLost)]
    pub fn notify_lost(&self, reason: &str) {
        self.inner.notify_lost(reason);
    }
}

#[wasm_bindgen(js_class = Expr)]
impl Expr {
    /// Writes the value into a target, which was evaluated.
    #[wasm_bindgen(js_name = evalInto)]
    pub fn eval_into(&self, target: &Expr) -> Result<(), JsValue> {
        overwrite(target, self, |bound, array| bound.eval_into(array))
    }
}

/// Returns the array that a value was evaluated to.
fn array_of(value: &Expr) -> Result<AnyArray, JsValue> {
    let array = value.value().array().cloned();
    array.ok_or_else(|| thrown("the value is not on a device yet; eval() returns one that is"))
}

/// Writes `value` into the target's array by `write`.
fn overwrite<R>(
    target: &Expr,
    value: &Expr,
    write: impl FnOnce(Bound<'static>, &mut AnyArray) -> indim::Result<R>,
) -> Result<R, JsValue> {
    let mut array = array_of(target)?;
    let bound = array.context().bind(value.value()).map_err(refused)?;
    // An array that has no other holder is written in place.
    target.replace(AnyExpr::constant(Scalar::from_bits(ElementType::Pred, 0)));
    let written = write(bound, &mut array);
    target.replace(AnyExpr::from(&array));
    written.map_err(refused)
}

/// Returns the object of JavaScript behind one of wgpu's.
fn object(handle: Option<&impl AsRef<JsValue>>) -> JsValue {
    handle.map_or(JsValue::UNDEFINED, |handle| handle.as_ref().clone())
}

/// Returns the browser's device of a context.
fn device_of(context: &Context) -> JsValue {
    object(context.device().as_webgpu())
}

fn buffer(context: &Context, buffer: &JsValue) -> Result<wgpu::Buffer, JsValue> {
    let descriptor = wgpu::BufferDescriptor {
        label: None,
        size: number(buffer, "size")? as u64,
        usage: wgpu::BufferUsages::from_bits_truncate(number(buffer, "usage")? as u32),
        mapped_at_creation: false,
    };
    let device = context.device();
    lend(&device_of(context), "createBuffer", buffer, || device.create_buffer(&descriptor))
}

/// Calls `array_from_buffer` with the Rust type of an element type.
macro_rules! typed {
    ($of_type:expr, $call:expr, $($variant:ident $rust:ty),+) => {
        match $of_type {
            $(ElementType::$variant => {
                let array: indim::Result<Array<$rust>> = $call;
                array.map(|array| array.as_any().clone())
            })+
            other => return Err(thrown(format!("a buffer cannot hold elements of {other}"))),
        }
    };
}

/// Returns an array whose elements are those of the page's buffer.
fn array_from(
    context: &Context,
    of_buffer: &JsValue,
    shape: &[f64],
    of_type: &str,
    offset: f64,
) -> Result<Expr, JsValue> {
    let (of_type, shape) = (element_type(of_type)?, number::sizes(shape)?);
    let offset = u64::try_from(number::integers("offset", &[offset])?[0]).map_err(|_| {
        thrown(format!("offset is {}; it is 0 or more bytes", number::text(offset)))
    })?;
    let made = buffer(context, of_buffer)?;
    let array = typed!(
        of_type, context.array_from_buffer(shape.as_slice(), made, offset),
        Pred bool, S4 indim::S4, S8 i8, S16 i16, S32 i32, S64 i64, U4 indim::U4, U8 u8, U16 u16,
        U32 u32, U64 u64, F16 indim::half::f16, Bf16 indim::half::bf16, F32 f32, F64 f64,
        C64 indim::num_complex::Complex32
    );
    Ok(Expr::of(AnyExpr::from(&array.map_err(refused)?)))
}

/// A command encoder of the page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Encoder {
    encoder: wgpu::CommandEncoder,
    /// What was recorded in it, until it is submitted.
    recorded: Vec<Encoded>,
}

impl Encoder {
    /// Returns wgpu's wrapper of an encoder of the page.
    fn of(context: &Context, encoder: &JsValue) -> Result<Self, JsValue> {
        let (device, descriptor) = (context.device(), wgpu::CommandEncoderDescriptor::default());
        let make = || device.create_command_encoder(&descriptor);
        let encoder = lend(&device_of(context), "createCommandEncoder", encoder, make)?;
        Ok(Self { encoder, recorded: Vec::new() })
    }
}

#[wasm_bindgen]
impl Encoder {
    /// Records that a value is written into an array.
    pub fn write(&mut self, value: &Expr, target: &Expr) -> Result<(), JsValue> {
        let encoder = &mut self.encoder;
        let encoded = overwrite(target, value, |bound, array| bound.encode_into(encoder, array))?;
        self.recorded.push(encoded);
        Ok(())
    }

    /// Records that an array is written into the first level of a texture.
    #[wasm_bindgen(js_name = writeTexture)]
    pub fn write_texture(&mut self, image: &Expr, texture: &JsValue) -> Result<(), JsValue> {
        let array = array_of(image)?;
        let texture = self::texture(array.context(), texture)?;
        let array = array.downcast::<f32>().map_err(refused)?;
        let encoded = array.encode_to_texture(&mut self.encoder, &texture, 0, 0);
        self.recorded.push(encoded.map_err(refused)?);
        Ok(())
    }

    /// Notes that the page has submitted the encoder.
    pub fn submitted(&mut self) {
        self.recorded.drain(..).for_each(|encoded| encoded.submitted());
    }
}

/// Returns the page's texture as wgpu's.
fn texture(context: &Context, texture: &JsValue) -> Result<wgpu::Texture, JsValue> {
    let [width, height, depth_or_array_layers, mip_level_count, sample_count, usage] =
        ["width", "height", "depthOrArrayLayers", "mipLevelCount", "sampleCount", "usage"]
            .map(|name| number(texture, name).map(|number| number as u32));
    let format = property(texture, "format")?.as_string().unwrap_or_default();
    let format = match format.as_str() {
        "rgba8unorm" => wgpu::TextureFormat::Rgba8Unorm,
        "rgba16float" => wgpu::TextureFormat::Rgba16Float,
        "r32float" => wgpu::TextureFormat::R32Float,
        "rgba32float" => wgpu::TextureFormat::Rgba32Float,
        _ => {
            return Err(thrown(format!(
                "the texture's format is {format:?}; arrays are written to rgba8unorm, \
                 rgba16float, r32float and rgba32float"
            )));
        }
    };
    let descriptor = wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width: width?,
            height: height?,
            depth_or_array_layers: depth_or_array_layers?,
        },
        mip_level_count: mip_level_count?,
        sample_count: sample_count?,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::from_bits_truncate(usage?),
        view_formats: &[],
    };
    let handle = texture.clone().unchecked_into();
    Ok(context.device().create_texture_from_webgpu_handle(handle, &descriptor, None))
}

/// Returns the buffer of a value's array, its offset and its size in bytes.
fn range_of(array: &AnyArray) -> Result<Vec<JsValue>, JsValue> {
    let range = array.buffer().map_err(refused)?;
    let (offset, size) = (range.offset as f64, range.size as f64);
    Ok(vec![object(range.buffer.as_webgpu()), offset.into(), size.into()])
}
