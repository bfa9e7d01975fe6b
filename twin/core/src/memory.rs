//! How loaded memory and links answer (section 3, equation 4).

use crate::machine::{Curve, Machine};
use crate::relax::{Relaxed, RelaxedScale};

/// Readers wait at most e^20 = 5e8 times as long as at full load.
const MOST_PRESSURE: f64 = 21.0;
/// A load below this one counts as this one where readers waited for more.
const LEAST_LOAD: f64 = 0.01;
/// DMA takes at most this share of a memory or a link; cores always get a turn.
const MOST_DMA: f64 = 0.95;

impl Curve {
    /// Latency at load `rho` (capped at 1) of what takes `idle_s` idle.
    pub fn latency(&self, idle_s: f64, rho: f64) -> f64 {
        let rho = rho.clamp(0.0, 1.0);
        idle_s * (1.0 + self.a * rho) + self.b_s * rho.powf(self.p) / (1.0 - rho + self.eps)
    }
}

/// Something with a bandwidth: a memory, or a direction of a link.
#[derive(Debug, Clone)]
pub struct Pipe {
    bandwidth: f64,
    idle_s: f64,
    curve: Curve,
    /// Up to 1: the load that the latency belongs to; beyond: 1 + the logarithm of how much longer than at full load
    /// readers wait.
    pressure: Relaxed,
    latency_s: f64,
    intake: RelaxedScale,
    /// Bytes a second that the last round asked for.
    pub bytes_s: f64,
    /// Of these, by DMA.
    pub dma_bytes_s: f64,
}

impl Pipe {
    fn new(bandwidth: f64, idle_s: f64, curve: Curve) -> Self {
        let (pressure, intake) = (Relaxed::new(0.0), RelaxedScale::new(1.0));
        Self { bandwidth, idle_s, curve, pressure, latency_s: idle_s, intake, bytes_s: 0.0, dma_bytes_s: 0.0 }
    }

    /// What an access takes now, s.
    pub const fn latency(&self) -> f64 {
        self.latency_s
    }

    /// What an access takes when idle, s.
    pub const fn idle(&self) -> f64 {
        self.idle_s
    }

    /// The share of what the NICs want that DMA may take now.
    pub const fn intake(&self) -> f64 {
        self.intake.value()
    }

    /// The bandwidth in use, 0 to 1.
    pub fn load(&self) -> f64 {
        (self.bytes_s / self.bandwidth).min(1.0)
    }

    /// Goes towards the latency and the intake that belong to the present demand; returns how far that was.
    ///
    /// Where the demand is more than the bandwidth, the latency rises beyond the curve until its readers, who wait for
    /// it, ask for no more than there is.
    pub fn settle(&mut self) -> f64 {
        let rho = self.bytes_s / self.bandwidth;
        let now = self.pressure.value();
        let target = match (now > 1.0, rho > 1.0) {
            (false, false) => rho,
            (false, true) => 1.0 + rho.ln(),
            (true, _) => now + rho.max(LEAST_LOAD).ln(),
        };
        let moved = self.pressure.toward(target.clamp(0.0, MOST_PRESSURE));
        let now = self.pressure.value();
        self.latency_s = self.curve.latency(self.idle_s, now) * (now - 1.0).max(0.0).exp();
        let dma = self.dma_bytes_s.max(f64::MIN_POSITIVE);
        let intake = (self.intake.value() * (MOST_DMA * self.bandwidth / dma).min(1e3)).clamp(1e-9, 1.0);
        moved.max(self.intake.toward(intake))
    }
}

/// All memories and links of a machine.
#[derive(Debug, Clone)]
pub struct Pipes {
    nodes: usize,
    /// By node.
    pub memory: Vec<Pipe>,
    /// By the node that data come from, then the one they go to.
    pub link: Vec<Pipe>,
}

impl Pipes {
    /// Idle ones.
    pub fn new(machine: &Machine) -> Self {
        let (memory, link) = (&machine.memory, &machine.link);
        let of_memory = Pipe::new(memory.bandwidth_bytes_s, memory.latency_s, memory.curve);
        let of_link = Pipe::new(link.bandwidth_bytes_s, link.latency_s, link.curve);
        let nodes = machine.nodes;
        Self { nodes, memory: vec![of_memory; nodes], link: vec![of_link; nodes * nodes] }
    }

    /// The direction from one node to another.
    pub fn between(&self, from: usize, to: usize) -> &Pipe {
        &self.link[from * self.nodes + to]
    }

    /// What a read from memory takes, s.
    pub fn read_s(&self, reader: usize, home: usize) -> f64 {
        let link = if reader == home { 0.0 } else { self.between(home, reader).latency() };
        self.memory[home].latency() + link
    }

    /// Forgets all demand: a round begins.
    pub fn clear(&mut self) {
        for pipe in self.memory.iter_mut().chain(&mut self.link) {
            (pipe.bytes_s, pipe.dma_bytes_s) = (0.0, 0.0);
        }
    }

    /// Bytes a second between a node's memory and the core or NIC of another (or the same): `read` towards it.
    pub fn carry_memory(&mut self, user: usize, home: usize, read: f64, written: f64, dma: bool) {
        Self::add(&mut self.memory[home], read + written, dma);
        self.carry_link(home, user, read, dma);
        self.carry_link(user, home, written, dma);
    }

    /// Bytes a second from one node to another; nothing where both are the same.
    pub fn carry_link(&mut self, from: usize, to: usize, bytes_s: f64, dma: bool) {
        if from != to {
            Self::add(&mut self.link[from * self.nodes + to], bytes_s, dma);
        }
    }

    /// Every pipe towards what its demand makes it; returns how far the farthest was.
    pub fn settle(&mut self) -> f64 {
        let used = self.memory.iter_mut().chain(&mut self.link);
        used.map(Pipe::settle).fold(0.0, f64::max)
    }

    fn add(pipe: &mut Pipe, bytes_s: f64, dma: bool) {
        pipe.bytes_s += bytes_s;
        if dma {
            pipe.dma_bytes_s += bytes_s;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVE: Curve = Curve { a: 0.1, b_s: 10e-9, p: 2.0, eps: 0.1 };

    /// Half loaded: 80 ns x (1 + .1 x .5) + 10 ns x .25 / (.5 + .1) = 84 + 4.17 ns. Beyond full as at full:
    /// 80 x 1.1 + 10 / .1 = 188 ns.
    #[test]
    fn latency_by_load() {
        assert!((CURVE.latency(80e-9, 0.5) - 88.166_667e-9).abs() < 1e-14);
        assert!((CURVE.latency(80e-9, 7.0) - 188e-9).abs() < 1e-15);
    }

    /// One reader with 10 lines under way: 640 B / L. On 1 GB/s that is full at L = 640 ns, far beyond the curve's 188.
    #[test]
    fn a_reader_who_wants_more_waits_until_it_asks_for_all_there_is() {
        let mut pipe = Pipe::new(1e9, 80e-9, CURVE);
        for _ in 0..300 {
            pipe.bytes_s = 640.0 / pipe.latency();
            pipe.settle();
        }
        assert!((pipe.latency() - 640e-9).abs() < 1e-12, "{}", pipe.latency());
        assert!((pipe.load() - 1.0).abs() < 1e-6);
    }

    /// DMA that wants 2 GB/s of 1 GB/s gets .95 / 2 of its wish.
    #[test]
    fn dma_is_taken_in_as_far_as_it_fits() {
        let mut pipe = Pipe::new(1e9, 80e-9, CURVE);
        for _ in 0..300 {
            pipe.dma_bytes_s = 2e9 * pipe.intake();
            pipe.bytes_s = pipe.dma_bytes_s;
            pipe.settle();
        }
        assert!((pipe.intake() - 0.475).abs() < 1e-6, "{}", pipe.intake());
    }
}
