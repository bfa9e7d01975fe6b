//! Two threads of one physical core (section 5): they share what it executes with, its own cache, and the window in which
//! it looks ahead. A worker whose sibling thread nobody uses is none of this module's.

use crate::cache::{CacheStream, SharedCache};
use crate::cost::Cost;
use crate::layout::{Layout, Worker};
use crate::machine::{LINE_BYTES, Machine, Siblings};
use crate::relax::Relaxed;
use crate::steady::{Load, Solver};

/// Packets a second of a worker without any, to the core's own cache: only ratios of rates count there.
const LEAST_RATE: f64 = 1e-3;

/// What the other thread of a worker's physical core does to it.
#[derive(Debug, Clone)]
pub struct Sibling {
    /// The workers there.
    pub others: Vec<usize>,
    /// How many times as long a packet executes; at least 1.
    slower: Relaxed,
    /// How many times as long it waits for the same lines; at least 1.
    longer: Relaxed,
    /// By access to state: the share that the core's own cache does not have.
    through: Vec<Relaxed>,
}

/// What a thread does with its physical core, as shares of time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Use {
    /// It executes: with packets, or asking for them.
    executing: f64,
    /// It executes or waits for lines: while it is not awake, the other has the whole window.
    awake: f64,
}

impl Sibling {
    /// By worker of a layout; none where nobody is on its sibling thread.
    pub fn of(machine: &Machine, layout: &Layout) -> Vec<Option<Self>> {
        let on = |core: usize| {
            let workers = layout.workers.iter().enumerate();
            workers.filter(|(_, worker)| worker.core == core).map(|(index, _)| index).collect()
        };
        let of = |worker: &Worker| {
            let others: Vec<usize> = on(machine.sibling_of(worker.core)?);
            let accesses = worker.parts.iter().flat_map(|part| part.accesses.iter().zip(&part.private));
            let through = |references: f64, accesses: f64| if accesses > 0.0 { references / accesses } else { 0.0 };
            let through = accesses.map(|(at, _)| Relaxed::new(through(at.references, at.accesses))).collect();
            let (slower, longer) = (Relaxed::new(1.0), Relaxed::new(1.0));
            (!others.is_empty()).then_some(Self { others, slower, longer, through })
        };
        layout.workers.iter().map(of).collect()
    }

    /// What a packet costs beside it.
    pub fn slow(&self, cost: &mut Cost) {
        let executing = cost.seconds - cost.stalled_s;
        cost.stalled_s *= self.longer.value();
        cost.seconds = executing * self.slower.value() + cost.stalled_s;
    }

    /// Goes towards what the others make of it; returns how far that was.
    fn toward(&mut self, model: Siblings, others: Use, under_way: f64) -> f64 {
        let slower = self.slower.toward(slowed(model.gain, others.executing));
        slower.max(self.longer.toward(prolonged(under_way, others.awake)))
    }
}

/// How many times as long executing takes beside a thread that executes a share of the time: while both do, each is
/// `gain` / 2 as fast as alone.
fn slowed(gain: f64, executing: f64) -> f64 {
    1.0 / (1.0 - executing.min(1.0) * (1.0 - gain / 2.0))
}

/// How many times as long lines are waited for, of which `under_way` are at once in the whole window, beside a thread that
/// is awake a share of the time: then each has half of it (Marr et al., Intel Technology Journal 6-1, 2002: reorder buffer,
/// load and store buffers are parted), and half as many under way, but one.
fn prolonged(under_way: f64, awake: f64) -> f64 {
    if under_way <= 1.0 {
        return 1.0;
    }
    1.0 / (1.0 - awake.min(1.0) * (1.0 - (under_way / 2.0).max(1.0) / under_way))
}

impl Solver {
    /// What siblings take from each other, with the present rates and costs. Returns how far that was.
    pub fn settle_siblings(&mut self) -> f64 {
        let Some(model) = self.machine.siblings else { return 0.0 };
        let mut farthest: f64 = 0.0;
        for index in 0..self.siblings.len() {
            let Some(mut sibling) = self.siblings[index].take() else { continue };
            let uses = sibling.others.iter().map(|&other| self.use_of(other));
            let others = uses.fold(Use::default(), |sum, one| Use {
                executing: sum.executing + one.executing,
                awake: sum.awake + one.awake,
            });
            let under_way = under_way(&self.layout.workers[index], &self.loads[index], sibling.longer.value());
            farthest = farthest.max(sibling.toward(model, others, under_way));
            farthest = farthest.max(self.share_cache(index, &mut sibling));
            self.siblings[index] = Some(sibling);
        }
        farthest
    }

    /// Of the time of its thread.
    fn use_of(&self, index: usize) -> Use {
        let (worker, load) = (&self.layout.workers[index], &self.loads[index]);
        let working = (load.taken * load.service).min(load.share);
        let waiting = (load.taken * sum(worker, load, |cost| cost.stalled_s)).min(working);
        let awake = if worker.polling { load.share } else { working };
        Use { executing: awake - waiting, awake }
    }

    /// The core's own cache between a worker and those on its sibling thread, by what they ask of it. Returns how far the
    /// shares that it does not have were.
    fn share_cache(&mut self, index: usize, sibling: &mut Sibling) -> f64 {
        let of = |index: &usize| {
            let rate = self.loads[*index].taken.max(LEAST_RATE);
            let streams = self.layout.workers[*index].parts.iter().flat_map(|part| &part.private);
            streams.map(move |stream| CacheStream { rate: stream.rate * rate, ..*stream })
        };
        let streams = std::iter::once(&index).chain(&sibling.others).flat_map(of).collect();
        let mut cache = SharedCache::new(self.machine.l2.bytes / LINE_BYTES, 0.0, streams);
        cache.solve();
        let accesses =
            self.layout.workers[index].parts.iter_mut().flat_map(|part| part.accesses.iter_mut().zip(&part.private));
        let mut farthest: f64 = 0.0;
        for (place, ((access, _), through)) in accesses.zip(&mut sibling.through).enumerate() {
            farthest = farthest.max(through.toward(1.0 - cache.hit(place)));
            access.references = access.accesses * through.value().clamp(0.0, 1.0);
        }
        farthest
    }
}

/// Of a packet of a worker.
fn sum(worker: &Worker, load: &Load, of: impl Fn(&Cost) -> f64) -> f64 {
    worker.parts.iter().zip(&load.costs).map(|(part, cost)| part.reach * of(cost)).sum()
}

/// Lines that a worker has under way while it waits, as if its core were its own; `longer`: than that, it waits.
fn under_way(worker: &Worker, load: &Load, longer: f64) -> f64 {
    let stalled_s = sum(worker, load, |cost| cost.stalled_s) / longer;
    if stalled_s > 0.0 { sum(worker, load, |cost| cost.lines_s) / stalled_s } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{alone, chain, instance, machine, memory_hog, nf};
    use crate::outcome::Outcome;
    use crate::setting::Setting;
    use crate::steady::{TOLERANCE, steady};

    /// `examples::machine` with two threads a core: core 24 is the sibling of core 0.
    fn threaded(gain: f64) -> Machine {
        Machine { siblings: Some(Siblings { gain }), ..machine() }
    }

    /// Two NFs alike, each in a chain that is offered more than it takes, on cores 0 and `core`.
    fn pair(of: crate::nf::Nf, core: usize) -> Setting {
        let mut setting = alone(1e8);
        setting.nfs.insert("nf".to_owned(), of);
        setting.instances.push(instance("b", "nf", core));
        setting.chains.push(chain("d", &["b"], 1e8));
        setting
    }

    fn taken(setting: &Setting, gain: f64) -> Vec<f64> {
        let outcome: Outcome = steady(&threaded(gain), setting);
        assert!(outcome.residual <= TOLERANCE, "{}", outcome.residual);
        outcome.instances.iter().map(|at| at.taken_pps).collect()
    }

    /// What two siblings take of what one of them takes alone on the core.
    fn gained(of: &crate::nf::Nf, gain: f64) -> f64 {
        let mut one = alone(1e8);
        one.nfs.insert("nf".to_owned(), of.clone());
        taken(&pair(of.clone(), 24), gain).iter().sum::<f64>() / taken(&one, gain)[0]
    }

    /// With a gain of 1.2, beside a thread that always executes at .6 of its speed: 1 / .6. Half of the time: 1 / .8.
    #[test]
    fn execution_slows_by_how_much_the_other_thread_executes() {
        assert!((slowed(1.2, 1.0) - 1.0 / 0.6).abs() < 1e-12);
        assert!((slowed(1.2, 0.5) - 1.0 / 0.8).abs() < 1e-12);
        assert_eq!(slowed(1.2, 0.0), 1.0);
    }

    /// Without state or packets to wait for, two get `gain` of one done, each half of that.
    #[test]
    fn who_never_waits_gets_half_of_the_gain() {
        let mut computing = nf(1.0, 0.0);
        (computing.streams, computing.packet.header_lines) = (Vec::new(), 0.0);
        assert!((gained(&computing, 1.2) - 1.2).abs() < 1e-6);
        assert!((gained(&computing, 1.0) - 1.0).abs() < 1e-6);
    }

    /// Of 3000 lines the 4096 of the core's own cache miss none: a packet asks the LLC for its header alone. Of twice 3000
    /// they have 4096 / 6000, and of 8 accesses each 8 (1 - .6827) = 2.5387 go on.
    #[test]
    fn own_caches_are_divided_by_use() {
        let references = |core: usize| {
            let outcome = steady(&threaded(1.1), &pair(nf(3000.0, 8.0), core));
            outcome.instances.iter().map(|at| at.llc_references).collect::<Vec<f64>>()
        };
        references(1).iter().for_each(|found| assert!((found - 1.0).abs() < 1e-6, "{found}"));
        references(24).iter().for_each(|found| assert!((found - 3.5387).abs() < 1e-3, "{found}"));
    }

    /// Four lines under way: two beside a thread that is always awake, so twice as long; half of the time, 1 / .75. Of 1.5
    /// one is left: 1.5 times as long. Who has one under way looks ahead for nothing.
    #[test]
    fn waiting_gets_longer_with_half_of_the_window() {
        assert!((prolonged(4.0, 1.0) - 2.0).abs() < 1e-12);
        assert!((prolonged(4.0, 0.5) - 1.0 / 0.75).abs() < 1e-12);
        assert!((prolonged(1.5, 1.0) - 1.5).abs() < 1e-12);
        assert_eq!((prolonged(1.0, 1.0), prolonged(0.0, 1.0)), (1.0, 1.0));
    }

    /// Programs that do nothing but have ten lines under way each gain nothing from the second thread.
    #[test]
    fn who_only_streams_gains_nothing() {
        let hogs = |cores: &[usize]| {
            let neighbours = cores.iter().map(|core| memory_hog(&format!("hog {core}"), *core)).collect();
            let setting = Setting { neighbours, ..Setting::default() };
            steady(&threaded(1.1), &setting).neighbours.iter().map(|hog| hog.accesses_s).sum::<f64>()
        };
        let (one, siblings, cores) = (hogs(&[0]), hogs(&[0, 24]), hogs(&[0, 1]));
        assert!(siblings < 1.05 * one && cores > 1.5 * one, "{one} {siblings} {cores}");
    }

    /// NFs without state wait for packet lines alone. What a sibling hands on is in their core's own cache; from another core
    /// come .25 lines of a ring, 1 of metadata and 1 of headers, 50 ns each, four at once: 2.25 x 50 / 4 = 28.125 ns, less
    /// what the few lines save that have left for the LLC by then.
    #[test]
    fn siblings_hand_over_through_their_own_cache() {
        let stalled_s = |core: usize| {
            let mut setting = pair(nf(1.0, 0.0), core);
            setting.chains = vec![chain("c", &["a", "b"], 1e5)];
            steady(&threaded(1.1), &setting).instances[1].stalled_cycles / 2e9
        };
        assert_eq!(stalled_s(24), 0.0);
        let from_core = stalled_s(1);
        assert!(from_core > 27.5e-9 && from_core <= 28.125e-9, "{from_core}");
    }
}
