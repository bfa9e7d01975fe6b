//! What an order takes until it has effect (docs/twin-model.md, section 7), and in what it differs from the one before.

use serde::{Deserialize, Serialize};

use crate::error::BadInput;
use crate::machine::Machine;
use crate::nf::{Nf, StreamKind};
use crate::setting::{Chain, Instance};

/// From an order to its effect. The defaults are priors: what a current Linux takes, by order of magnitude.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Delays {
    /// Until a thread runs on another core.
    pub cpuset_s: f64,
    /// Until a mask of ways or a throttle of memory requests holds.
    pub resctrl_s: f64,
    /// Until a weight or quota holds, or a group is frozen or thawed.
    pub cgroup_s: f64,
    /// Until a core has another clock.
    pub clock_s: f64,
    /// Until a process that is started takes packets.
    pub start_s: f64,
}

impl Default for Delays {
    fn default() -> Self {
        Self { cpuset_s: 0.010, resctrl_s: 0.001, cgroup_s: 0.005, clock_s: 0.001, start_s: 1.0 }
    }
}

impl Delays {
    /// Refuses what is no time of at most a minute.
    pub fn check(&self) -> Result<(), BadInput> {
        let all = [
            ("cpuset_s", self.cpuset_s),
            ("resctrl_s", self.resctrl_s),
            ("cgroup_s", self.cgroup_s),
            ("clock_s", self.clock_s),
            ("start_s", self.start_s),
        ];
        match all.into_iter().find(|(_, seconds)| !(0.0..=60.0).contains(seconds)) {
            Some((field, seconds)) => Err(BadInput::new(field, format!("is {seconds} s, not within 0 and 60 s"))),
            None => Ok(()),
        }
    }
}

/// Settings of an instance that one interface of the kernel changes, and so at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knob {
    /// Core and memory.
    Cpuset,
    /// Ways and MBA.
    Resctrl,
    /// Weight, quota and whether it polls.
    Cgroup,
    /// Clock.
    Clock,
}

impl Knob {
    /// All of them, the quickest first.
    pub const ALL: [Self; 4] = [Self::Resctrl, Self::Clock, Self::Cgroup, Self::Cpuset];

    /// Until it has effect.
    pub const fn delay_s(self, delays: &Delays) -> f64 {
        match self {
            Self::Cpuset => delays.cpuset_s,
            Self::Resctrl => delays.resctrl_s,
            Self::Cgroup => delays.cgroup_s,
            Self::Clock => delays.clock_s,
        }
    }

    /// Make what it changes of `present` as in `ordered`.
    pub const fn turn(self, present: &mut Instance, ordered: &Instance) {
        match self {
            Self::Cpuset => (present.core, present.memory_node) = (ordered.core, ordered.memory_node),
            Self::Resctrl => (present.ways, present.mba) = (ordered.ways, ordered.mba),
            Self::Cgroup => {
                (present.weight, present.quota) = (ordered.weight, ordered.quota);
                present.polling = ordered.polling;
            }
            Self::Clock => present.clock_hz = ordered.clock_hz,
        }
    }

    /// Whether the two differ in it.
    pub fn differs(self, one: &Instance, other: &Instance) -> bool {
        let mut turned = one.clone();
        self.turn(&mut turned, other);
        turned != *one
    }
}

/// True where the chain must be taken down and set up anew to become the other: all but its traffic.
pub fn is_rebuilt(one: &Chain, other: &Chain) -> bool {
    let with_traffic = Chain { traffic: other.traffic.clone(), ..one.clone() };
    with_traffic != *other
}

/// The node that holds an instance's state.
pub fn memory_node(machine: &Machine, instance: &Instance) -> usize {
    instance.memory_node.unwrap_or_else(|| machine.node_of(instance.core))
}

/// Bytes that move with an NF: all its tables at so many flows.
pub fn state_bytes(nf: &Nf, flows: f64) -> f64 {
    nf.streams
        .iter()
        .filter(|stream| stream.kind != StreamKind::Passing)
        .map(|stream| stream.bytes_per_flow.mul_add(flows, stream.bytes))
        .sum()
}

/// How long an NF stands still while its state is copied between nodes: the link's bandwidth, as if it had it alone.
pub fn copy_s(machine: &Machine, bytes: f64) -> f64 {
    bytes / machine.link.bandwidth_bytes_s
}
