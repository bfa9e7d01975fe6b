//! What goes wrong on a host, on demand: at a given time, for a given time.

use serde::{Deserialize, Serialize};

use crate::error::BadInput;
use crate::machine::Machine;
use crate::nf::StreamKind;
use crate::setting::Neighbour;

/// Most faults at once, those to come included.
pub const MAX_FAULTS: usize = 64;
const LONGEST_S: f64 = 1e6;
/// How many accesses of a hog are under way at once: as many line fill buffers as a core has.
const HOG_MLP: f64 = 10.0;

/// A fault and when it strikes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultOrder {
    /// Seconds from now.
    #[serde(default)]
    pub after_s: f64,
    /// What happens.
    pub fault: Fault,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// An NF's process ends, and with it what shares the process; what waits in its ring stays there.
    NfCrash {
        /// Id of the instance.
        instance: String,
        /// Something starts it again after so long, and it takes packets a start's delay later; none: it stays down
        /// until it is ordered to start.
        #[serde(default)]
        restart_after_s: Option<f64>,
    },
    /// A NIC loses its link: nothing arrives, nothing leaves.
    NicFlap {
        /// Index of the NIC.
        nic: usize,
        /// How long.
        for_s: f64,
    },
    /// The host loses power; when it is back nothing runs and all counters are 0.
    HostDown {
        /// How long.
        for_s: f64,
    },
    /// A program that no order knows uses each of some cores as fast as it can.
    NoisyNeighbour {
        /// What it presses on.
        resource: Resource,
        /// Where it runs.
        cores: Vec<usize>,
        /// How long.
        for_s: f64,
    },
}

/// What a noisy neighbour presses on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// It reads all over a region as large as the LLC.
    Cache,
    /// It copies memory: every line is read once, half of them are written.
    Memory,
}

/// A fault that has struck and is not over.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActiveFault {
    /// What it is.
    pub fault: Fault,
    /// When it struck, on the host's clock.
    pub since_s: f64,
    /// When it ends; none: with the start of what it ended.
    pub until_s: Option<f64>,
    /// Counts the host's faults.
    pub number: u64,
}

impl FaultOrder {
    /// Refuses what cannot happen to `machine`. Whether an instance is there is seen when it strikes.
    pub fn check(&self, machine: &Machine) -> Result<(), BadInput> {
        in_range("after_s", self.after_s, 0.0)?;
        let checked = match &self.fault {
            Fault::NfCrash { restart_after_s, .. } => {
                restart_after_s.map_or(Ok(()), |seconds| in_range("restart_after_s", seconds, 0.0))
            }
            Fault::NicFlap { nic, for_s } if *nic < machine.nics.len() => in_range("for_s", *for_s, 1e-3),
            Fault::NicFlap { .. } => {
                Err(BadInput::new("nic", format!("the machine has {} NICs, counted from 0", machine.nics.len())))
            }
            Fault::HostDown { for_s } => in_range("for_s", *for_s, 1e-3),
            Fault::NoisyNeighbour { cores, for_s, .. } => {
                in_range("for_s", *for_s, 1e-3).and_then(|()| check_cores(cores, machine.cores()))
            }
        };
        checked.map_err(|bad| bad.within("fault"))
    }
}

impl Fault {
    /// How long it lasts; none: until what it ended is started.
    pub const fn for_s(&self) -> Option<f64> {
        match self {
            Self::NfCrash { .. } => None,
            Self::NicFlap { for_s, .. } | Self::HostDown { for_s } | Self::NoisyNeighbour { for_s, .. } => Some(*for_s),
        }
    }

    /// The programs of a noisy neighbour, `number` in their ids.
    pub fn neighbours(&self, machine: &Machine, number: u64) -> Vec<Neighbour> {
        let Self::NoisyNeighbour { resource, cores, .. } = self else { return Vec::new() };
        let (bytes, kind, write_share) = match resource {
            Resource::Cache => (machine.llc.bytes, StreamKind::Random, 0.0),
            Resource::Memory => (0.0, StreamKind::Passing, 0.5),
        };
        let on = |&core: &usize| Neighbour {
            id: format!("fault {number} on core {core}"),
            core,
            bytes,
            kind,
            mlp: HOG_MLP,
            write_share,
            accesses_s: None,
            memory_node: None,
            ways: None,
            mba: 0.0,
            weight: 100.0,
        };
        cores.iter().map(on).collect()
    }
}

fn check_cores(cores: &[usize], there: usize) -> Result<(), BadInput> {
    if cores.is_empty() {
        return Err(BadInput::new("cores", "names no core; name at least one"));
    }
    for (index, core) in cores.iter().enumerate() {
        let problem = match core {
            core if *core >= there => format!("{core} is none of the machine's {there} cores, counted from 0"),
            core if cores[..index].contains(core) => format!("core {core} is there twice"),
            _ => continue,
        };
        return Err(BadInput::new(format!("cores.{index}"), problem));
    }
    Ok(())
}

fn in_range(field: &str, seconds: f64, least: f64) -> Result<(), BadInput> {
    if (least..=LONGEST_S).contains(&seconds) {
        return Ok(());
    }
    Err(BadInput::new(field, format!("{seconds} s is not at least {least} and at most {LONGEST_S} s")))
}
