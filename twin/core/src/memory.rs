//! How loaded memory and links answer (section 3, equation 4).

use crate::machine::{Curve, Machine};
use crate::relax::{Relaxed, RelaxedScale};

/// Who asks for too much waits at most e^20 = 5e8 times as long as at full load.
const MOST_PRESSURE: f64 = 21.0;
const MOST_HOLD: f64 = 5e8;
/// How far one target goes beyond full load from below.
const STEP_BEYOND: f64 = 1.0;
/// DMA takes at most this share of a memory or a link; cores always get a turn.
const MOST_DMA: f64 = 0.95;

impl Curve {
    /// Latency at load `rho` (capped at 1) of what takes `idle_s` idle.
    pub fn latency(&self, idle_s: f64, rho: f64) -> f64 {
        let rho = rho.clamp(0.0, 1.0);
        idle_s * (1.0 + self.a * rho) + self.b_s * rho.powf(self.p) / (1.0 - rho + self.eps)
    }
}

/// A core that reads lines: its worker, by index, and its node.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// In the layout.
    pub worker: usize,
    /// Of its core.
    pub node: usize,
}

/// On whose behalf lines move.
#[derive(Debug, Clone, Copy)]
pub enum User {
    /// A NIC of this node.
    Dma(usize),
    /// A core, that waits for what it reads.
    Core(Reader),
}

impl User {
    const fn node(self) -> usize {
        match self {
            Self::Dma(node) => node,
            Self::Core(reader) => reader.node,
        }
    }
}

/// Something with a bandwidth: a memory, or a direction of a link.
#[derive(Debug, Clone)]
pub struct Pipe {
    bandwidth: f64,
    idle_s: f64,
    curve: Curve,
    /// Up to 1: the load that the latency belongs to; beyond: 1 + the logarithm of how much longer than at full load
    /// the greediest reader waits.
    pressure: Relaxed,
    latency_s: f64,
    intake: RelaxedScale,
    /// Bytes a second that the last round asked for.
    pub bytes_s: f64,
    /// Of these, by DMA.
    pub dma_bytes_s: f64,
    /// Of these, by cores that wait for them.
    waited_bytes_s: f64,
}

/// How a core stands at a pipe.
#[derive(Debug, Clone)]
struct Wait {
    /// How much longer than the pipe's latency it waits, for asking more than its fair share.
    factor: f64,
    hold: Relaxed,
    /// Bytes a second that it asked for in the last round.
    bytes_s: f64,
}

impl Wait {
    /// What it would ask for if it were not held back, as far as it does nothing but wait.
    fn wish(&self) -> f64 {
        self.bytes_s * self.factor
    }

    /// Held back as far as it wishes for more than `fair`; returns how far that was from before.
    fn settle(&mut self, fair: f64) -> f64 {
        let moved = self.hold.toward((self.wish() / fair).clamp(1.0, MOST_HOLD).ln());
        self.factor = self.hold.value().max(0.0).exp();
        moved
    }
}

impl Pipe {
    fn new(bandwidth: f64, idle_s: f64, curve: Curve) -> Self {
        let (pressure, intake) = (Relaxed::new(0.0), RelaxedScale::new(1.0));
        let (bytes_s, dma_bytes_s, waited_bytes_s) = (0.0, 0.0, 0.0);
        Self { bandwidth, idle_s, curve, pressure, latency_s: idle_s, intake, bytes_s, dma_bytes_s, waited_bytes_s }
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

    /// Goes towards the latency, the intake and the waits of its readers that belong to the present demand; returns how
    /// far that was.
    ///
    /// Where more is asked for than there is, all that DMA and writes leave is shared max-min fairly: a core has so many
    /// lines under way at most (line-fill buffers, superqueue), and who fills these waits longer until it asks for no
    /// more than its share; who asks for less is served as at full load.
    fn settle<'a>(&mut self, waits: impl Iterator<Item = &'a mut Wait>) -> f64 {
        let waits: Vec<&mut Wait> = waits.filter(|wait| wait.bytes_s > 0.0).collect();
        let mut wishes: Vec<f64> = waits.iter().map(|wait| wait.wish()).collect();
        let posted = self.bytes_s - self.waited_bytes_s;
        let room = (self.bandwidth - posted).max((1.0 - MOST_DMA) * self.bandwidth);
        let fair = fair_share(&mut wishes, room);
        let greediest = wishes.last().copied().unwrap_or_default();
        let now = self.pressure.value();
        let target = if fair < greediest {
            // Below full load much more is asked for than there is, until the latency has risen.
            (1.0 + (greediest / fair).ln()).min(if now < 1.0 { 1.0 + STEP_BEYOND } else { MOST_PRESSURE })
        } else {
            ((posted + wishes.iter().sum::<f64>()) / self.bandwidth).min(1.0)
        };
        let mut moved = self.pressure.toward(target);
        let now = self.pressure.value();
        self.latency_s = self.curve.latency(self.idle_s, now);
        let fair = if now > 1.0 { greediest * (1.0 - now).exp() } else { f64::INFINITY };
        moved = waits.into_iter().map(|wait| wait.settle(fair)).fold(moved, f64::max);
        let dma = self.dma_bytes_s.max(f64::MIN_POSITIVE);
        let intake = (self.intake.value() * (MOST_DMA * self.bandwidth / dma).min(1e3)).clamp(1e-9, 1.0);
        moved.max(self.intake.toward(intake))
    }
}

/// The share of `room` such that all get at most that, and all there is where they wish for more. Sorts `wishes`.
fn fair_share(wishes: &mut [f64], room: f64) -> f64 {
    wishes.sort_by(f64::total_cmp);
    let mut left = room;
    for (place, wish) in wishes.iter().enumerate() {
        let share = left / (wishes.len() - place) as f64;
        if *wish > share {
            return share;
        }
        left -= wish;
    }
    f64::INFINITY
}

/// All memories and links of a machine.
#[derive(Debug, Clone)]
pub struct Pipes {
    nodes: usize,
    /// By node.
    pub memory: Vec<Pipe>,
    /// By the node that data come from, then the one they go to.
    pub link: Vec<Pipe>,
    /// By worker: its node, how it stands at each memory, and at the link from each node to its own.
    waits: Vec<(usize, Vec<Wait>)>,
}

impl Pipes {
    /// Idle ones; `nodes`: of each worker.
    pub fn new(machine: &Machine, nodes: impl Iterator<Item = usize>) -> Self {
        let (memory, link) = (&machine.memory, &machine.link);
        let of_memory = Pipe::new(memory.bandwidth_bytes_s, memory.latency_s, memory.curve);
        let of_link = Pipe::new(link.bandwidth_bytes_s, link.latency_s, link.curve);
        let waits = nodes
            .map(|node| {
                (node, vec![Wait { factor: 1.0, hold: Relaxed::creeping(0.0), bytes_s: 0.0 }; 2 * machine.nodes])
            })
            .collect();
        let nodes = machine.nodes;
        Self { nodes, memory: vec![of_memory; nodes], link: vec![of_link; nodes * nodes], waits }
    }

    /// The direction from one node to another.
    pub fn between(&self, from: usize, to: usize) -> &Pipe {
        &self.link[from * self.nodes + to]
    }

    /// What a read from the memory of `home` takes, s.
    pub fn read_s(&self, reader: Reader, home: usize) -> f64 {
        let link = if reader.node == home { 0.0 } else { self.link_s(reader, home) };
        self.memory_s(reader, home) + link
    }

    /// What the memory of `home` alone takes for it, s.
    pub fn memory_s(&self, reader: Reader, home: usize) -> f64 {
        self.memory[home].latency() * self.waits[reader.worker].1[home].factor
    }

    /// What the link from another node adds to what it reads there, s.
    pub fn link_s(&self, reader: Reader, from: usize) -> f64 {
        self.between(from, reader.node).latency() * self.waits[reader.worker].1[self.nodes + from].factor
    }

    /// Forgets all demand: a round begins.
    pub fn clear(&mut self) {
        for pipe in self.memory.iter_mut().chain(&mut self.link) {
            (pipe.bytes_s, pipe.dma_bytes_s, pipe.waited_bytes_s) = (0.0, 0.0, 0.0);
        }
        self.waits.iter_mut().flat_map(|(_, waits)| waits).for_each(|wait| wait.bytes_s = 0.0);
    }

    /// Bytes a second between a node's memory and a user: `read` towards it. A core waits for its own writes too, as far
    /// as memory is concerned; the link takes them when it can.
    pub fn carry_memory(&mut self, user: User, home: usize, read: f64, written: f64) {
        let pipe = &mut self.memory[home];
        match user {
            User::Dma(_) => pipe.dma_bytes_s += read + written,
            User::Core(reader) => {
                pipe.waited_bytes_s += read + written;
                self.waits[reader.worker].1[home].bytes_s += read + written;
            }
        }
        pipe.bytes_s += read + written;
        self.carry_link(user, home, read);
        if user.node() != home {
            let pipe = &mut self.link[user.node() * self.nodes + home];
            pipe.bytes_s += written;
            pipe.dma_bytes_s += if matches!(user, User::Dma(_)) { written } else { 0.0 };
        }
    }

    /// Bytes a second that are read of the directory of `home` on behalf of a core, whose own node they do not come to.
    pub fn carry_directory(&mut self, reader: Reader, home: usize, bytes_s: f64) {
        let pipe = &mut self.memory[home];
        pipe.bytes_s += bytes_s;
        pipe.waited_bytes_s += bytes_s;
        self.waits[reader.worker].1[home].bytes_s += bytes_s;
    }

    /// Bytes a second from another node to a user; nothing where both are the same.
    pub fn carry_link(&mut self, user: User, from: usize, bytes_s: f64) {
        if from == user.node() {
            return;
        }
        let pipe = &mut self.link[from * self.nodes + user.node()];
        pipe.bytes_s += bytes_s;
        match user {
            User::Dma(_) => pipe.dma_bytes_s += bytes_s,
            User::Core(reader) => {
                pipe.waited_bytes_s += bytes_s;
                self.waits[reader.worker].1[self.nodes + from].bytes_s += bytes_s;
            }
        }
    }

    /// Every pipe towards what its demand makes it; returns how far the farthest was.
    pub fn settle(&mut self) -> f64 {
        let Self { nodes, memory, link, waits } = self;
        let mut farthest: f64 = 0.0;
        for (home, pipe) in memory.iter_mut().enumerate() {
            farthest = farthest.max(pipe.settle(waits.iter_mut().map(|(_, waits)| &mut waits[home])));
        }
        for (place, pipe) in link.iter_mut().enumerate() {
            let (from, to) = (place / *nodes, place % *nodes);
            let users = waits.iter_mut().filter(|(node, _)| *node == to);
            farthest = farthest.max(pipe.settle(users.map(|(_, waits)| &mut waits[*nodes + from])));
        }
        farthest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::machine;
    use crate::machine::Memory;

    const CURVE: Curve = Curve { a: 0.1, b_s: 10e-9, p: 2.0, eps: 0.1 };

    /// Half loaded: 80 ns x (1 + .1 x .5) + 10 ns x .25 / (.5 + .1) = 84 + 4.17 ns. Beyond full as at full:
    /// 80 x 1.1 + 10 / .1 = 188 ns.
    #[test]
    fn latency_by_load() {
        assert!((CURVE.latency(80e-9, 0.5) - 88.166_667e-9).abs() < 1e-14);
        assert!((CURVE.latency(80e-9, 7.0) - 188e-9).abs() < 1e-15);
    }

    /// Pipes of one node with 1 GB/s for readers with so many lines under way each, that do nothing else.
    fn settled(under_way: &[f64]) -> (Pipes, Vec<Reader>) {
        let mut machine = machine();
        machine.memory = Memory { bandwidth_bytes_s: 1e9, latency_s: 80e-9, curve: CURVE };
        let readers: Vec<Reader> = (0..under_way.len()).map(|worker| Reader { worker, node: 0 }).collect();
        let mut pipes = Pipes::new(&machine, under_way.iter().map(|_| 0));
        for _ in 0..300 {
            pipes.clear();
            for (reader, lines) in readers.iter().zip(under_way) {
                let bytes_s = lines * 64.0 / pipes.read_s(*reader, 0);
                pipes.carry_memory(User::Core(*reader), 0, bytes_s, 0.0);
            }
            pipes.settle();
        }
        (pipes, readers)
    }

    /// One reader with 10 lines under way: 640 B / L. On 1 GB/s that is full at L = 640 ns, far beyond the curve's 188.
    #[test]
    fn a_reader_who_wants_more_waits_until_it_asks_for_all_there_is() {
        let (pipes, readers) = settled(&[10.0]);
        assert!((pipes.read_s(readers[0], 0) - 640e-9).abs() < 1e-12, "{}", pipes.read_s(readers[0], 0));
        assert!((pipes.memory[0].load() - 1.0).abs() < 1e-6);
    }

    /// Half a line under way at full load's 188 ns is 32 / 188 = .1702 GB/s, less than a third of 1 GB/s: that one waits
    /// 188 ns. The others, of 10 and 20 lines, share what it leaves: .4149 GB/s each, so 640 / .4149 = 1543 ns and twice that.
    #[test]
    fn who_asks_for_little_does_not_wait_for_the_others() {
        let (pipes, readers) = settled(&[10.0, 0.5, 20.0]);
        let waits: Vec<f64> = readers.iter().map(|reader| pipes.read_s(*reader, 0) * 1e9).collect();
        let share = (1.0 - 32.0 / 188.0) / 2.0;
        let wanted = [640.0 / share, 188.0, 1280.0 / share];
        waits.iter().zip(wanted).for_each(|(found, wanted)| assert!((found / wanted - 1.0).abs() < 1e-6, "{waits:?}"));
    }

    /// Of 10, with wishes of 1, 2, 6 and 7: after 1 and 2, 7 are left for two.
    #[test]
    fn shares_are_max_min_fair() {
        assert_eq!(fair_share(&mut [6.0, 1.0, 7.0, 2.0], 10.0), 3.5);
        assert_eq!(fair_share(&mut [6.0, 1.0], 10.0), f64::INFINITY);
    }

    /// DMA that wants 2 GB/s of 1 GB/s gets .95 / 2 of its wish.
    #[test]
    fn dma_is_taken_in_as_far_as_it_fits() {
        let mut pipe = Pipe::new(1e9, 80e-9, CURVE);
        for _ in 0..300 {
            pipe.dma_bytes_s = 2e9 * pipe.intake();
            pipe.bytes_s = pipe.dma_bytes_s;
            pipe.settle(std::iter::empty());
        }
        assert!((pipe.intake() - 0.475).abs() < 1e-6, "{}", pipe.intake());
    }
}
