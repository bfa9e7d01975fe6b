//! What changes a host in time: orders, faults, and what comes of both later.

use std::collections::{HashMap, HashSet};

use crate::actuation::{Knob, copy_s, is_rebuilt, memory_node, state_bytes};
use crate::agenda::Event;
use crate::check::check_resources;
use crate::counters::NodeCounters;
use crate::dice::stream;
use crate::error::BadInput;
use crate::faults::{ActiveFault, Fault, FaultOrder, MAX_FAULTS};
use crate::life::{Life, State};
use crate::line::Line;
use crate::order::{Given, Order};
use crate::setting::{Chain, Instance};
use crate::step::Host;
use crate::traffic::to_ns;

impl Host {
    /// Bring the host to `order` by difference: what it names and has no place yet is started, what it does not name ends
    /// with its packets, everything else changes after its delay. A chain that another order than its traffic's changes
    /// is taken down and set up anew; a crashed NF stays down until `start`.
    ///
    /// Refused where the order cannot run on the machine, or the host is off.
    pub fn order(&mut self, order: Order) -> Result<(), BadInput> {
        order.check(&self.machine)?;
        self.catch_up()?;
        let kept = self.kept(&order);
        let stays = |id: &str| kept.contains(id);
        self.agenda.keep(|event| match event {
            Event::Turn(_, instance) => stays(&instance.id),
            Event::Started { instance, .. } => stays(instance),
            Event::Start(instances) => instances.iter().all(|id| stays(id)),
            Event::Freeze { chain, .. } => order.setting.chains.iter().any(|there| there.id == *chain),
            Event::Copied | Event::Strike(_) | Event::Over(_) => true,
        });
        self.place_instances(&order, &kept);
        self.place_chains(&order, &kept);
        self.present.setting.nfs = order.setting.nfs.clone();
        self.present.setting.neighbours = order.setting.neighbours.clone();
        self.present.arrivals = order.arrivals.clone();
        self.ordered = order;
        self.settled.stale = true;
        Ok(())
    }

    /// Give some instances other ways and another throttle; all else stays as it was ordered. They have effect later, so
    /// that what has passed of a tick need not be computed for it.
    ///
    /// Refused, and nothing has changed, where the machine cannot, one of them is not ordered, or the host is off.
    pub fn give(&mut self, given: &[Given]) -> Result<(), BadInput> {
        let is_ordered = |id: &str| self.ordered.setting.instances.iter().any(|known| known.id == id);
        for (place, one) in given.iter().enumerate() {
            check_resources(one.ways, one.mba, &self.machine).map_err(|bad| bad.within(&place.to_string()))?;
            if !is_ordered(&one.id) {
                return Err(BadInput::new(format!("{place}.id"), "is none of the host's instances"));
            }
        }
        self.is_on()?;
        let due = self.asked_ns + to_ns(Knob::Resctrl.delay_s(&self.machine.delays));
        for instance in &mut self.ordered.setting.instances {
            let Some(one) = given.iter().rfind(|one| one.id == instance.id) else { continue };
            let before = instance.clone();
            (instance.ways, instance.mba) = (one.ways, one.mba);
            if Knob::Resctrl.differs(&before, instance) {
                self.agenda.plan(due, Event::Turn(Knob::Resctrl, Box::new(instance.clone())));
            }
        }
        Ok(())
    }

    /// Ids of the instances that live on: the same NF, in the same chain or in none.
    fn kept(&self, order: &Order) -> HashSet<String> {
        let (old, new) = (&self.ordered.setting, &order.setting);
        let before: HashMap<&str, &Instance> = old.instances.iter().map(|one| (one.id.as_str(), one)).collect();
        let is_same = |one: &Instance| {
            before.get(one.id.as_str()).is_some_and(|it| it.nf == one.nf && old.nfs.get(&it.nf) == new.nfs.get(&one.nf))
        };
        let same: HashSet<&str> = new.instances.iter().filter(|one| is_same(one)).map(|one| one.id.as_str()).collect();
        let chain_is_same = |chain: &Chain| {
            let there = old.chains.iter().find(|there| there.id == chain.id);
            there.is_some_and(|there| !is_rebuilt(there, chain))
                && chain.stages.iter().all(|stage| same.contains(stage.as_str()))
        };
        let mut ends: HashSet<&str> = HashSet::new();
        for chain in new.chains.iter().filter(|chain| !chain_is_same(chain)) {
            ends.extend(chain.stages.iter().map(String::as_str));
        }
        for chain in &old.chains {
            if !new.chains.iter().any(|there| there.id == chain.id && chain_is_same(there)) {
                ends.extend(chain.stages.iter().map(String::as_str));
            }
        }
        same.difference(&ends).map(|&id| id.to_owned()).collect()
    }

    fn place_instances(&mut self, order: &Order, kept: &HashSet<String>) {
        let instances = std::mem::take(&mut self.present.setting.instances);
        let lives = std::mem::take(&mut self.lives);
        let mut before: HashMap<String, (Instance, Life)> =
            instances.into_iter().zip(lives).map(|(instance, life)| (instance.id.clone(), (instance, life))).collect();
        let ordered: HashMap<&str, &Instance> =
            self.ordered.setting.instances.iter().map(|one| (one.id.as_str(), one)).collect();
        for new in &order.setting.instances {
            let Some((instance, life)) = before.remove(&new.id).filter(|_| kept.contains(&new.id)) else {
                let pass = order.setting.nfs.get(&new.nf).map_or(1.0, |nf| nf.pass);
                self.lives.push(Life::starting(&new.id, pass, self.seed, self.at_ns, &self.machine.noise));
                let due = self.at_ns + to_ns(self.machine.delays.start_s);
                self.agenda.plan(due, Event::Started { instance: new.id.clone(), starts: 1 });
                self.present.setting.instances.push(new.clone());
                continue;
            };
            for knob in Knob::ALL.into_iter().filter(|knob| knob.differs(ordered[new.id.as_str()], new)) {
                let due = self.at_ns + to_ns(knob.delay_s(&self.machine.delays));
                self.agenda.plan(due, Event::Turn(knob, Box::new(new.clone())));
            }
            self.present.setting.instances.push(instance);
            self.lives.push(life);
        }
    }

    fn place_chains(&mut self, order: &Order, kept: &HashSet<String>) {
        let chains = std::mem::take(&mut self.present.setting.chains);
        let lines = std::mem::take(&mut self.lines);
        let mut before: HashMap<String, Line> =
            chains.into_iter().zip(lines).map(|(chain, line)| (chain.id, line)).collect();
        for new in &order.setting.chains {
            let stays = new.stages.iter().all(|stage| kept.contains(stage));
            let line = before.remove(&new.id).filter(|_| stays);
            let frozen = order.paused.contains(&new.id);
            if line.is_none() {
                // A new chain is frozen from its begin; its processes start all the same.
                self.present.paused.remove(&new.id);
                if frozen {
                    self.present.paused.insert(new.id.clone());
                }
            } else if frozen != self.ordered.paused.contains(&new.id) {
                let due = self.at_ns + to_ns(self.machine.delays.cgroup_s);
                self.agenda.plan(due, Event::Freeze { chain: new.id.clone(), frozen });
            }
            let mut line = line.unwrap_or_else(|| {
                self.chains_begun += 1;
                Line::new(self.chains_begun, stream(&new.id))
            });
            line.arrivals = order.arrivals.get(&new.id).cloned().unwrap_or_default();
            line.regroup(new, &self.present.setting.instances);
            self.lines.push(line);
            self.present.setting.chains.push(new.clone());
        }
        self.present.paused.retain(|chain| order.setting.chains.iter().any(|there| there.id == *chain));
    }

    /// Start what has crashed; what runs is left as it is. Refused for what is not there, or while the host is off.
    pub fn start(&mut self, instance: &str) -> Result<(), BadInput> {
        self.catch_up()?;
        self.find(instance).map_err(|bad| bad.within("instance"))?;
        self.start_crashed(&[instance.to_owned()]);
        Ok(())
    }

    /// Let a fault strike, now or later. Refused where it cannot happen to this host, or while the host is off.
    pub fn fault(&mut self, order: FaultOrder) -> Result<(), BadInput> {
        order.check(&self.machine)?;
        self.catch_up()?;
        if let Fault::NfCrash { instance, .. } = &order.fault {
            self.find(instance).map_err(|bad| bad.within("fault.instance"))?;
        }
        let planned = self.agenda.events().filter(|event| matches!(event, Event::Strike(_))).count();
        if self.faults.len() + planned >= MAX_FAULTS {
            return Err(BadInput::new(
                "fault",
                format!("{MAX_FAULTS} faults are there already; wait until one is over"),
            ));
        }
        if order.after_s > 0.0 {
            self.agenda.plan(self.at_ns + to_ns(order.after_s), Event::Strike(order.fault));
        } else {
            self.strike(order.fault);
        }
        Ok(())
    }

    fn find(&self, id: &str) -> Result<usize, BadInput> {
        let place = self.present.setting.instances.iter().position(|instance| instance.id == id);
        place.ok_or_else(|| BadInput::new(crate::error::WHOLE, "is none of the host's instances"))
    }

    /// Something planned happens.
    pub(crate) fn happen(&mut self, event: Event) {
        match event {
            Event::Turn(knob, instance) => self.turn(knob, &instance),
            Event::Freeze { chain, frozen: true } => {
                self.present.paused.insert(chain);
            }
            Event::Freeze { chain, frozen: false } => {
                self.present.paused.remove(&chain);
            }
            Event::Start(instances) => self.start_crashed(&instances),
            Event::Started { instance, starts } => self.started(&instance, starts),
            Event::Copied => {}
            Event::Strike(fault) => self.strike(fault),
            Event::Over(number) => self.over(number),
        }
        self.settled.stale = true;
    }

    fn turn(&mut self, knob: Knob, ordered: &Instance) {
        let Ok(index) = self.find(&ordered.id) else { return };
        let before = self.present.setting.instances[index].clone();
        knob.turn(&mut self.present.setting.instances[index], ordered);
        if knob == Knob::Cpuset {
            self.moved(index, &before);
        }
    }

    /// On another node an NF finds a cold cache; where its memory goes with it, it stands still until that is copied.
    fn moved(&mut self, index: usize, before: &Instance) {
        let machine = &self.machine;
        let after = &self.present.setting.instances[index];
        let (from, to) = (memory_node(machine, before), memory_node(machine, after));
        if machine.node_of(before.core) != machine.node_of(after.core) {
            self.lives[index].occupancy_bytes = 0.0;
        }
        if from != to {
            let chain = self.present.setting.chains.iter().find(|chain| chain.stages.contains(&after.id));
            let flows = chain.map_or(0.0, |chain| chain.traffic.flows);
            let bytes = self.present.setting.nfs.get(&after.nf).map_or(0.0, |nf| state_bytes(nf, flows));
            self.nodes.copy(from, to, bytes);
            self.lives[index].occupancy_bytes = 0.0;
            self.lives[index].held_until_ns = self.at_ns + to_ns(copy_s(machine, bytes));
            self.agenda.plan(self.lives[index].held_until_ns, Event::Copied);
        }
        for (line, chain) in self.lines.iter_mut().zip(&self.present.setting.chains) {
            line.regroup(chain, &self.present.setting.instances);
        }
    }

    fn started(&mut self, instance: &str, starts: u32) {
        let Ok(index) = self.find(instance) else { return };
        if self.lives[index].starts == starts && self.lives[index].state == State::Starting {
            self.lives[index].state = State::Running;
        }
        let lives = &self.lives;
        for line in self.lines.iter_mut().filter(|line| !line.open) {
            let mut members = line.servers.iter().flat_map(|server| &server.members);
            line.open = members.all(|&member| lives[member].state == State::Running);
        }
        self.faults.retain(|fault| match &fault.fault {
            Fault::NfCrash { instance: crashed, .. } => crashed != instance,
            _ => true,
        });
    }

    fn start_crashed(&mut self, instances: &[String]) {
        for id in instances {
            let Ok(index) = self.find(id) else { continue };
            if self.lives[index].state == State::Crashed {
                self.lives[index].restart();
                let due = self.at_ns + to_ns(self.machine.delays.start_s);
                let starts = self.lives[index].starts;
                self.agenda.plan(due, Event::Started { instance: id.clone(), starts });
            }
        }
    }

    fn strike(&mut self, fault: Fault) {
        let number = self.faults_begun;
        self.faults_begun += 1;
        self.settled.stale = true;
        let since_s = self.at_ns as f64 / 1e9;
        let until_s = fault.for_s().map(|for_s| since_s + for_s);
        if let Some(for_s) = fault.for_s() {
            self.agenda.plan(self.at_ns + to_ns(for_s), Event::Over(number));
        }
        match &fault {
            Fault::NfCrash { instance, restart_after_s } => {
                if !self.crash(instance, *restart_after_s) {
                    return; // it has gone in the meantime
                }
            }
            Fault::HostDown { for_s } => self.switch_off(self.at_ns + to_ns(*for_s)),
            Fault::NicFlap { .. } | Fault::NoisyNeighbour { .. } => {}
        }
        self.faults.push(ActiveFault { fault, since_s, until_s, number });
    }

    /// The process of an instance ends, with all NFs in it; false where there is none.
    fn crash(&mut self, instance: &str, restart_after_s: Option<f64>) -> bool {
        let Ok(index) = self.find(instance) else { return false };
        let servers = self.lines.iter().flat_map(|line| &line.servers);
        let process = servers.map(|server| &server.members).find(|members| members.contains(&index));
        let process = process.cloned().unwrap_or_else(|| vec![index]);
        for &member in &process {
            self.lives[member].crash();
        }
        if let Some(after_s) = restart_after_s {
            let ids = process.iter().map(|&member| self.present.setting.instances[member].id.clone()).collect();
            self.agenda.plan(self.at_ns + to_ns(after_s), Event::Start(ids));
        }
        true
    }

    /// All that ran is gone, and so is what was to happen to it.
    fn switch_off(&mut self, until_ns: u64) {
        self.off_until_ns = Some(until_ns);
        (self.ordered, self.present) = (Order::default(), Order::default());
        self.lives.clear();
        self.lines.clear();
        self.faults.clear();
        let last = self.faults_begun - 1;
        self.agenda.keep(|event| match event {
            Event::Strike(_) => true,
            Event::Over(number) => *number == last,
            _ => false,
        });
        self.nodes = NodeCounters::new(self.machine.nodes, self.machine.cores());
    }

    fn over(&mut self, number: u64) {
        let ended = self.faults.iter().position(|fault| fault.number == number).map(|place| self.faults.remove(place));
        if matches!(ended, Some(ActiveFault { fault: Fault::HostDown { .. }, .. })) {
            self.off_until_ns = None;
            self.epoch += 1;
        }
    }
}
