//! The reaction: `U + 2 V -> 3 V`, where U is fed and V dies, as J. E. Pearson computed it ("Complex
//! Patterns in a Simple System", 1993).

use indim::{Array, Context, Encoded, Expr, wgpu};
use shell::{settings_buffer, texture};

/// Points of the field, down and across.
pub(crate) const N: i64 = 512;
/// Steps in a frame.
const STEPS: usize = 16;
/// The first and the second substance diffuse by these rates.
const DIFFUSION: [f32; 2] = [1.0, 0.5];
/// The brush's radius in points.
const RADIUS: f32 = 9.0;
/// Colours: the ground, and what is added to it at the edge and in the middle of what grows.
const PALETTE: [f32; 9] = [0.04, 0.07, 0.16, 0.03, 0.36, 0.44, 0.78, 0.28, -0.32];
/// Holds the values of the sliders and the place of the brush.
#[derive(Clone, Copy)]
pub(crate) struct Controls {
    pub(crate) feed: f32,
    pub(crate) kill: f32,
    /// Row, column and strength.
    pub(crate) brush: [f32; 3],
}

/// Both substances, and what is drawn of them. egui's renderer keeps it.
pub(crate) struct Field {
    gpu: Context,
    /// Shape (2, N, N): the first substance and the second.
    now: Array<f32>,
    next: Array<f32>,
    /// The renderer's buffer of 64 bytes, and shape (2, 2) in it: the gain of each substance at
    /// each place, and the share of it that is removed.
    buffer: wgpu::Buffer,
    rates: Array<f32>,
    /// Row, column and strength of the brush, in the same buffer.
    brush: Array<f32>,
    /// Shape (2): how the substances diffuse, and what the reaction does to them.
    diffusion: Array<f32>,
    sign: Array<f32>,
    /// Shape (3, 3): colours of nothing, of the edge and of the middle of what grows.
    palette: Array<f32>,
    /// Shape (N, N, 3).
    colours: Array<f32>,
    pub(crate) texture: wgpu::Texture,
    encoded: Vec<Encoded>,
}

impl Field {
    pub(crate) fn new(gpu: &Context) -> indim::Result<Self> {
        let exported = |shape: &[usize], elements: &[f32]| -> indim::Result<Array<f32>> {
            let array = gpu.array(shape, elements)?;
            // From here on in place, even if others hold the array, such as an expression that
            // reads it.
            array.buffer()?;
            Ok(array)
        };
        let n = N as usize;
        let buffer = settings_buffer(gpu.device(), "controls", 28);
        Ok(Self {
            gpu: gpu.clone(),
            now: exported(&[2, n, n], &start().concat())?,
            next: exported(&[2, n, n], &start().concat())?,
            rates: gpu.array_from_buffer([2, 2], buffer.clone(), 0)?,
            brush: gpu.array_from_buffer([3], buffer.clone(), 16)?,
            buffer,
            diffusion: gpu.array([2], &DIFFUSION)?,
            sign: gpu.array([2], &[-1.0, 1.0])?,
            palette: gpu.array([3, 3], &PALETTE)?,
            colours: exported(&[n, n, 3], &vec![0.0; n * n * 3])?,
            texture: texture(gpu.device(), "field", [N as u32; 2]),
            encoded: Vec::new(),
        })
    }

    /// Records the steps of a frame, and its picture, in a command buffer of their own.
    pub(crate) fn record(&mut self, controls: Controls) -> indim::Result<wgpu::CommandBuffer> {
        // There is no call after eframe's submission, but the frame before is submitted by now.
        self.submitted();
        let Controls { feed, kill, brush: [row, column, strength] } = controls;
        let rates = [feed, 0.0, feed, feed + kill, row, column, strength];
        self.gpu.queue().write_buffer(&self.buffer, 0, bytemuck::bytes_of(&rates));
        let mut encoder = self.gpu.device().create_command_encoder(&Default::default());
        for _ in 0..STEPS {
            let next = self.step().named("reaction");
            self.encoded.push(next.encode_into(&mut encoder, &mut self.next)?);
            std::mem::swap(&mut self.now, &mut self.next);
        }
        let seen = self.seen().named("palette");
        self.encoded.push(seen.encode_into(&mut encoder, &mut self.colours)?);
        self.encoded.push(self.colours.encode_to_texture(&mut encoder, &self.texture, 0, 0)?);
        Ok(encoder.finish())
    }

    fn submitted(&mut self) {
        self.encoded.drain(..).for_each(|encoded| encoded.submitted());
    }

    /// Returns both substances, once what was recorded is submitted.
    pub(crate) fn values(&mut self) -> indim::Result<Vec<f32>> {
        self.submitted();
        self.now.to_vec_blocking()
    }

    /// Returns both substances after another step, shape (2, N, N).
    fn step(&self) -> Expr<f32> {
        let around =
            |x: &Expr<f32>, dimension| x.roll(&[1], &[dimension]) + x.roll(&[-1], &[dimension]);
        let now = self.now.expr();
        let [rows, columns] = [1, 2].map(|dimension| around(&now, dimension));
        let laplacian = (&rows + columns) * 0.2 + around(&rows, 2) * 0.05 - &now;
        let [u, v] = [0, 1].map(|i| now.index(0, i));
        let [row, column, strength] = [0, 1, 2].map(|i| self.brush.index(0, i));
        let (down, right) = (Expr::iota(&[N, 1], 0) - row, Expr::iota(&[1, N], 1) - column);
        let near = (down.square() + right.square()).lt(RADIUS * RADIUS);
        // One of u and two of v become three of v; the brush makes v of a share of u, so that there
        // is never less than none.
        let reaction = (v.square() + near.select(0.1, 0.0) * strength) * u;
        let [gain, loss] = [0, 1].map(|i| self.rates.index(0, i));
        let reacted = reaction.broadcast_in_dim(&[2, N, N], &[1, 2]) * self.sign.in_dim([0]);
        let exchanged = &now * loss.in_dim([0]);
        now + laplacian * self.diffusion.in_dim([0]) + reacted - exchanged + gain.in_dim([0])
    }

    /// Returns the second substance in colours, shape (N, N, 3), as a relief in the light.
    fn seen(&self) -> Expr<f32> {
        let v = self.now.index(0, 1);
        let slope = v.roll(&[1, 1], &[0, 1]) - v.roll(&[-1, -1], &[0, 1]);
        let t = v * 6.0;
        let sizes = [N, N, 3];
        let [low, high] = [t.clamp(0.0, 1.0), (t - 1.0).clamp(0.0, 1.0)]
            .map(|t| t.broadcast_in_dim(&sizes, &[0, 1]));
        let [ground, edge, middle] = [0, 1, 2].map(|i| self.palette.index(0, i));
        let light = (slope * -1.6).broadcast_in_dim(&sizes, &[0, 1]);
        low * edge.in_dim([2]) + high * middle.in_dim([2]) + light + ground.in_dim([2])
    }
}

/// Returns the initial amounts at each point: the first substance everywhere, and the second in
/// some discs.
pub fn start() -> [Vec<f32>; 2] {
    let n = N as usize;
    let (mut u, mut v) = (vec![1.0; n * n], vec![0.0; n * n]);
    for disc in 0..48 {
        let (row, column) = (30 + disc * 197 % 450, 30 + disc * 331 % 450);
        for (i, j) in (0..24).flat_map(|i| (0..24).map(move |j| (i, j))) {
            if (2 * i - 23_i32).pow(2) + (2 * j - 23_i32).pow(2) < 500 {
                let at = (row + i as usize) * n + column + j as usize;
                (u[at], v[at]) = (0.5, 0.5);
            }
        }
    }
    [u, v]
}
