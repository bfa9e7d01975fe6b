//! Buffers that DMA goes round in, and what is still in the cache of them when they are read (section 2).

use crate::cost::Dma;
use crate::handoff::Whereabouts;
use crate::layout::{METADATA_LINES, Worker};
use crate::machine::LINE_BYTES;
use crate::packets::{Circuit, Path};
use crate::pool::{Part, Use, circulating};
use crate::relax::{Relaxed, RelaxedScale};
use crate::steady::{Load, Solver};

/// What is relaxed of a chain's DMA.
#[derive(Debug, Clone)]
pub struct DmaState {
    lines: RelaxedScale,
    hit: Relaxed,
    first_hit: Relaxed,
}

impl DmaState {
    /// At the start: in the posted descriptors, all of which are still there.
    pub fn new(path: &Path) -> Self {
        let lines = RelaxedScale::new(path.rx_descriptors * path.lines);
        Self { lines, hit: Relaxed::new(1.0), first_hit: Relaxed::new(1.0) }
    }
}

impl Solver {
    /// Lines and rates of what DMA goes round in. Returns how far the lines were.
    pub fn circulate(&mut self) -> f64 {
        let parts = self.share_pools();
        let mut farthest: f64 = 0.0;
        for (chain, (path, state)) in self.layout.paths.iter().zip(&mut self.dma_state).enumerate() {
            let loads = &self.loads[path.workers.clone()];
            let buffers = parts[chain].map_or_else(|| path.buffers(loads.iter().map(Load::fullness)), |p| p.buffers);
            farthest = farthest.max(state.lines.toward(buffers * path.lines));
            self.rings[chain] = parts[chain].map_or(f64::INFINITY, |part| part.ring);
        }
        for chain in 0..self.layout.paths.len() {
            self.fill_streams(chain);
        }
        farthest
    }

    /// By chain, what it has of its pool; none: its buffers do not go round.
    fn share_pools(&self) -> Vec<Option<Part>> {
        let mut parts = vec![None; self.layout.paths.len()];
        for pool in &self.layout.pools {
            let of = |&chain: &usize| {
                let path = &self.layout.paths[chain];
                Use::new(path, &self.loads[path.workers.clone()])
            };
            let uses: Vec<Use> = pool.chains.iter().map(of).collect();
            pool.chains.iter().zip(pool.parts(&uses)).for_each(|(&chain, part)| parts[chain] = Some(part));
        }
        parts
    }

    fn fill_streams(&mut self, chain: usize) {
        let path = &self.layout.paths[chain];
        let loads = &self.loads[path.workers.clone()];
        let (taken, lines) = (loads[0].taken, self.dma_state[chain].lines.value());
        let round = path.circuit.map_or(taken, |_| circulating(loads));
        if let Some(stream) = path.dma {
            let streams = &mut self.layout.caches[path.pool].streams;
            (streams[stream].lines, streams[stream].rate) = (lines, round * path.lines);
            if let Some(again) = path.circuit.and_then(|circuit| circuit.again) {
                // The same descriptors, by whom they are used.
                let share = if taken > 0.0 { 1.0 - round / taken } else { 0.0 };
                streams[again].lines = (path.rx_descriptors * share * path.lines).max(1.0);
                streams[again].rate = (taken - round).max(0.0) * path.lines;
            }
        }
        for &(node, stream, fetched) in &path.passing {
            self.layout.caches[node].streams[stream].rate = taken * fetched;
        }
        if let Some(Circuit { metadata, .. }) = path.circuit {
            let worker = &mut self.layout.workers[path.workers.start];
            let access = &mut worker.parts[0].accesses[metadata];
            access.references = if taken > 0.0 { METADATA_LINES * round / taken } else { 0.0 };
            access.accesses = access.references;
            let stream = &mut self.layout.caches[worker.node].streams[access.stream];
            stream.lines = (METADATA_LINES * lines / path.lines).max(1.0);
            stream.rate = METADATA_LINES * round;
        }
    }

    /// Where lines are that waited between two workers. Returns how far that was.
    ///
    /// A core that handles packets fills its own cache with what it asks of the LLC, line by line, and so loses what it
    /// wrote while that waits; the longer the queue, the more. Both threads of a core fill it.
    pub fn settle_waiting(&mut self) -> f64 {
        let own_lines = self.machine.l2.bytes / LINE_BYTES;
        let inclusive = self.machine.llc.inclusive;
        let mut farthest: f64 = 0.0;
        for (chain, path) in self.layout.paths.iter().enumerate() {
            for (waiting, state) in path.waiting.iter().zip(&mut self.waiting[chain]) {
                let worker = &self.layout.workers[waiting.writer];
                let wait = |load: &Load| path.waited_s(load.fullness(), load.taken, self.rings[chain]);
                let wait_s: f64 = self.loads[waiting.writer + 1..=waiting.reader].iter().map(wait).sum();
                let others = self.siblings[waiting.writer].iter().flat_map(|sibling| &sibling.others);
                let others: f64 = others.map(|&other| filled(&self.layout.workers[other], &self.loads[other])).sum();
                let leaves = (filled(worker, &self.loads[waiting.writer]) + others) / own_lines;
                let llc = &self.layout.caches[worker.node];
                farthest = farthest.max(state.toward(Whereabouts::after(wait_s, leaves, llc, waiting.ways, inclusive)));
            }
        }
        farthest
    }

    /// What DMA and the first reader find. Returns how far that was.
    pub fn settle_dma(&mut self) -> f64 {
        let mut farthest: f64 = 0.0;
        for (chain, path) in self.layout.paths.iter().enumerate() {
            let Some(stream) = path.dma else {
                self.dma[chain] = Dma::default();
                continue;
            };
            let cache = &self.layout.caches[path.pool];
            let loads = &self.loads[path.workers.clone()];
            let queues = loads.iter().map(|load| (load.fullness(), load.taken));
            let round = cache.streams[stream];
            let age = (path.unread_s(queues, self.rings[chain]) * round.rate / round.lines).min(1.0);
            let again = path.circuit.and_then(|circuit| circuit.again);
            let hit = again.map_or_else(|| cache.hit(stream), |again| cache.hit_of_both(stream, again));
            let state = &mut self.dma_state[chain];
            farthest = farthest.max(state.hit.toward(hit));
            farthest = farthest.max(state.first_hit.toward(cache.survival(stream, age)));
            let (hit, first_hit) = (state.hit.value(), state.first_hit.value());
            self.dma[chain] = Dma { lines: state.lines.value(), hit, first_hit };
        }
        farthest
    }
}

/// Lines a second that a worker's core asks of the LLC for it.
fn filled(worker: &Worker, load: &Load) -> f64 {
    load.taken * worker.parts.iter().zip(&load.costs).map(|(part, cost)| part.reach * cost.references).sum::<f64>()
}
