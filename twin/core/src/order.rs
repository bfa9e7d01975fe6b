//! What a host is ordered to do over time: a setting, how each chain's packets come, and which chains stand still.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::check::check_setting;
use crate::error::BadInput;
use crate::machine::Machine;
use crate::setting::Setting;
use crate::traffic::Arrivals;

/// An order; always complete: what it does not name ends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// All that runs. Traffic rates are means over time.
    pub setting: Setting,
    /// By chain; evenly where a chain is not named.
    #[serde(default)]
    pub arrivals: BTreeMap<String, Arrivals>,
    /// Chains that are offered nothing and whose NFs sleep; their state and packets are kept.
    #[serde(default)]
    pub paused: BTreeSet<String>,
}

/// What one instance of an order is given of the memory hierarchy, as its `ways` and `mba` say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// An instance that is ordered.
    pub id: String,
    /// LLC ways it may fill; none: all.
    #[serde(default)]
    pub ways: Option<u32>,
    /// MBA throttle.
    #[serde(default)]
    pub mba: f64,
}

impl Order {
    /// Refuses what cannot run on `machine`.
    pub fn check(&self, machine: &Machine) -> Result<(), BadInput> {
        check_setting(&self.setting, machine).map_err(|bad| bad.within("setting"))?;
        let known = |chain: &str| self.setting.chains.iter().any(|known| known.id == chain);
        let unknown = |field: String| Err(BadInput::new(field, "is none of the setting's chains"));
        for (chain, arrivals) in &self.arrivals {
            if !known(chain) {
                return unknown(format!("arrivals.{chain}"));
            }
            arrivals.check().map_err(|bad| bad.within(&format!("arrivals.{chain}")))?;
        }
        match self.paused.iter().find(|chain| !known(chain)) {
            Some(chain) => unknown(format!("paused.{chain}")),
            None => Ok(()),
        }
    }
}
