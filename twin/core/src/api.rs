//! All of it from text to text, for whoever lends the twin to another language.

use crate::error::{BadInput, WHOLE};
use crate::machine::Machine;
use crate::reader::read_setting;
use crate::steady;

/// The steady state of the setting that `setting` holds, on `machine`.
pub fn steady(machine: &Machine, setting: &[u8]) -> Result<String, BadInput> {
    let outcome = steady::steady(machine, &read_setting(setting, machine)?);
    serde_json::to_string(&outcome).map_err(|error| BadInput::new(WHOLE, format!("has no outcome: {error}")))
}
