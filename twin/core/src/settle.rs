//! From the steady state of what is present to what a host's chains do between two looks at it.

use crate::faults::{ActiveFault, Fault};
use crate::latency::Spread;
use crate::life::State;
use crate::line::{Line, Server};
use crate::machine::Machine;
use crate::outcome::{ChainOutcome, InstanceOutcome, Outcome};
use crate::setting::{Backpressure, Chain, Execution, Instance, Setting};
use crate::step::Host;
use crate::traffic::to_ns;
use crate::watermarks::Marks;

/// Rates that differ by less are the same to caches and controllers.
const SAME_RATE: f64 = 0.01;
/// A share of packets lost that is rounding.
const NO_LOSS: f64 = 1e-6;
/// Shorter quota periods act as a slower core: ticks are not cut so often.
const SHORTEST_PERIOD_NS: u64 = 1_000_000;

/// The steady state that holds now, and what it is for.
#[derive(Debug, Clone)]
pub struct Settled {
    /// Lists are in the order of what is present.
    pub outcome: Outcome,
    /// Of the chains, packets a second.
    rates: Vec<f64>,
    /// What is present has changed since.
    pub stale: bool,
}

impl Default for Settled {
    fn default() -> Self {
        let outcome = Outcome {
            chains: Vec::new(),
            instances: Vec::new(),
            neighbours: Vec::new(),
            nodes: Vec::new(),
            links: Vec::new(),
            rounds: 0,
            residual: 0.0,
        };
        Self { outcome, rates: Vec::new(), stale: true }
    }
}

impl Settled {
    /// Nothing was there to settle, and nothing has come.
    pub const fn is_idle(&self) -> bool {
        !self.stale && self.outcome.instances.is_empty() && self.outcome.neighbours.is_empty()
    }
}

impl Host {
    /// Find the steady state anew where what is present has changed, or, at a tick, where a rate has.
    pub(crate) fn settle(&mut self, tick: bool) {
        if !self.settled.stale && !tick {
            return;
        }
        let rates = self.rates();
        let settled = &self.settled;
        if !settled.stale && rates.iter().zip(&settled.rates).all(|(now, then)| is_same(*now, *then)) {
            return;
        }
        let setting = self.effective(&rates);
        let outcome = crate::steady::steady(&self.machine, &setting);
        for (index, line) in self.lines.iter_mut().enumerate() {
            let chain = &setting.chains[index];
            line.admitted = admitted(&self.machine, &setting, chain.nic);
            let of = &outcome.chains[index];
            line.settle(&setting, of, &outcome.instances);
            if chain.backpressure == Backpressure::Watermarks {
                line.settle_held(of, &outcome.instances);
            }
        }
        self.settled = Settled { outcome, rates, stale: false };
    }

    /// Packets a second of each chain: none where one of its NFs does not work.
    fn rates(&self) -> Vec<f64> {
        let of = |(chain, line): (&Chain, &Line)| {
            let members = line.servers.iter().flat_map(|server| &server.members);
            let works = line.open && members.into_iter().all(|&member| self.lives[member].state == State::Running);
            let flaps =
                self.faults.iter().any(|fault| matches!(fault.fault, Fault::NicFlap { nic, .. } if nic == chain.nic));
            let comes = works && !flaps && !self.present.paused.contains(&chain.id);
            if comes { line.arrivals.settled_rate(chain.traffic.rate_pps, self.at_ns) } else { 0.0 }
        };
        self.present.setting.chains.iter().zip(&self.lines).map(of).collect()
    }

    /// What is present, at these rates: what does not run uses no core, and a fault's programs are there too.
    fn effective(&self, rates: &[f64]) -> Setting {
        let mut setting = self.present.setting.clone();
        for (chain, &rate) in setting.chains.iter_mut().zip(rates) {
            chain.traffic.rate_pps = rate;
            if self.present.paused.contains(&chain.id) {
                sleep(&mut setting.instances, &chain.stages);
            }
        }
        for (instance, life) in setting.instances.iter_mut().zip(&self.lives) {
            instance.polling &= life.state == State::Running;
        }
        let hogs = |fault: &ActiveFault| fault.fault.neighbours(&self.machine, fault.number);
        setting.neighbours.extend(self.faults.iter().flat_map(hogs));
        setting
    }
}

impl Line {
    /// Make servers of the chain's processes and threads.
    pub fn regroup(&mut self, chain: &Chain, instances: &[Instance]) {
        let place = |id: &String| instances.iter().position(|instance| instance.id == *id);
        let stages: Vec<usize> = chain.stages.iter().filter_map(place).collect();
        let together = |one: &usize, next: &usize| {
            chain.execution == Execution::RunToCompletion && instances[*one].core == instances[*next].core
        };
        let mut processes: Vec<Vec<usize>> = stages.chunk_by(together).map(<[usize]>::to_vec).collect();
        if chain.rx_core.is_some() {
            processes.insert(0, Vec::new());
        }
        if chain.tx_core.is_some() {
            processes.push(Vec::new());
        }
        let server = |(index, members)| {
            let room = if index == 0 { chain.rx_descriptors } else { chain.ring_packets };
            Server::new(members, u64::from(room))
        };
        let servers = processes.into_iter().enumerate().map(server).collect();
        let before = std::mem::replace(&mut self.servers, servers);
        self.inherit(&before);
    }

    /// Packets that waited stay before the same process. Where processes were joined or parted they go into the last
    /// rings with room, and may so pass a stage or come to one again.
    fn inherit(&mut self, before: &[Server]) {
        if before.len() == self.servers.len() {
            for (server, old) in self.servers.iter_mut().zip(before) {
                (server.waiting, server.on, server.peaks) = (old.waiting, old.on, old.peaks);
            }
            return;
        }
        let mut left: u64 = before.iter().map(|server| server.waiting).sum();
        for server in self.servers.iter_mut().rev() {
            server.waiting = left.min(server.room);
            left -= server.waiting;
        }
        self.counters.source_drops += left;
    }

    /// Capacities and latencies of the steady state.
    fn settle(&mut self, setting: &Setting, of: &ChainOutcome, instances: &[InstanceOutcome]) {
        let members = || self.servers.iter().flat_map(|server| &server.members).map(|&member| &instances[member]);
        let stages_s: f64 = members().map(|at| at.service_s).sum();
        let in_chain: f64 = members().map(|at| at.dropped_pps).sum();
        // What the NFs did not lose after the NIC, the thread to the NIC did not take.
        let sent = of.delivered_pps + (of.dropped_pps - of.dropped_at_nic_pps - in_chain).max(0.0);
        if let Some(first) = self.servers.first().and_then(|server| server.members.first()) {
            // Memory may have less room for DMA than the line has for frames.
            let arriving = instances[*first].arriving_pps / of.offered_pps;
            self.admitted = if of.offered_pps > 0.0 { arriving.min(1.0) } else { self.admitted };
        }
        for (index, server) in self.servers.iter_mut().enumerate() {
            match server.members.first() {
                Some(&first) => server.settle(&instances[first], &setting.instances[first]),
                None if index == 0 => server.settle_thread(of.offered_pps, of.dropped_at_nic_pps, of.rx_service_s),
                None => server.settle_thread(sent, sent - of.delivered_pps, of.tx_service_s),
            }
        }
        self.least_s = stages_s + of.rx_service_s + of.tx_service_s;
        self.spread = Spread::new(self.least_s, &of.latency);
    }

    /// Where watermarks hold packets back, what is lost at the entry says nothing of the first server: it takes all that is
    /// let in, now and then, as fast as it can.
    fn settle_held(&mut self, of: &ChainOutcome, instances: &[InstanceOutcome]) {
        let last = self.servers.len() - 1;
        if of.offered_pps > 0.0 {
            self.admitted = (of.arriving_pps / of.offered_pps).min(1.0);
        }
        for (place, server) in self.servers.iter_mut().enumerate() {
            let marks = Marks::of(server.room as u32);
            let (taken_pps, capacity_pps, held) = match server.members.first() {
                Some(&first) => {
                    let at = &instances[first];
                    (at.taken_pps, at.capacity_pps, at.ring_packets)
                }
                None if place == last => (of.delivered_pps, of.ends_pps.1, f64::midpoint(marks.low, marks.high)),
                None => (of.offered_pps - of.dropped_at_nic_pps, of.ends_pps.0, server.room as f64),
            };
            let is_full = taken_pps >= capacity_pps * (1.0 - NO_LOSS) && taken_pps > 0.0;
            server.capacity_pps = capacity_pps;
            // Between its marks it does not fill by chance.
            (server.steady_waiting, server.mean_waiting) =
                if is_full { (held, 0.0) } else { (0.0, server.mean_waiting) };
        }
    }
}

impl Server {
    /// Of a process, by its first NF: to that come all packets of the process.
    fn settle(&mut self, at: &InstanceOutcome, instance: &Instance) {
        self.capacity_pps = at.capacity_pps;
        let saturated = at.arriving_pps > at.capacity_pps * (1.0 + NO_LOSS);
        self.steady_waiting = if saturated { self.room as f64 } else { 0.0 };
        self.mean_waiting = at.ring_packets;
        // A quota holds still whoever gets no more than it, and keeps its core or has more to do.
        let binds = |share: f64| at.core_share > 0.9 * share && (instance.polling || saturated);
        self.quota = instance
            .quota
            .filter(|quota| binds(quota.share) && to_ns(quota.period_s) >= SHORTEST_PERIOD_NS)
            .map(|quota| (quota.share, to_ns(quota.period_s)));
    }

    /// Of a thread: what it takes of what comes where it loses some, else all that its time is enough for.
    fn settle_thread(&mut self, coming_pps: f64, lost_pps: f64, service_s: f64) {
        let saturated = lost_pps > NO_LOSS * coming_pps;
        let fastest = if service_s > 0.0 { 1.0 / service_s } else { f64::MAX };
        self.steady_waiting = if saturated { self.room as f64 } else { 0.0 };
        self.capacity_pps = if saturated { coming_pps - lost_pps } else { fastest };
    }
}

/// The share of what comes to a NIC that its line has room for: a frame takes 20 B more for preamble and gap.
fn admitted(machine: &Machine, setting: &Setting, nic: usize) -> f64 {
    let chains = || setting.chains.iter().filter(|chain| chain.nic == nic).map(|chain| &chain.traffic);
    let packets: f64 = chains().map(|traffic| traffic.rate_pps).sum();
    let bytes: f64 = chains().map(|traffic| traffic.rate_pps * (traffic.bytes() + 20.0)).sum();
    let nic = &machine.nics[nic];
    let share = |asked: f64, there: f64| if asked > there { there / asked } else { 1.0 };
    share(packets, nic.packets_s).min(share(bytes, nic.bandwidth_bytes_s))
}

fn is_same(now: f64, then: f64) -> bool {
    (now - then).abs() <= SAME_RATE * then
}

fn sleep(instances: &mut [Instance], stages: &[String]) {
    for instance in instances.iter_mut().filter(|instance| stages.contains(&instance.id)) {
        instance.polling = false;
    }
}
