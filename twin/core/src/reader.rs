//! From JSON text to machines and settings: types here, ranges and references in `check`. What is doubtful is refused
//! with the path of its field; nothing is converted.

use serde::de::DeserializeOwned;

use crate::check::{check_machine, check_setting};
use crate::error::{BadInput, WHOLE};
use crate::machine::Machine;
use crate::setting::Setting;

/// Longest text, bytes: far more than a host of 256 cores needs.
pub const MAX_TEXT: usize = 16 << 20;

/// The checked machine that `raw` holds.
pub fn read_machine(raw: &[u8]) -> Result<Machine, BadInput> {
    let machine = read(raw)?;
    check_machine(&machine)?;
    Ok(machine)
}

/// The setting that `raw` holds, checked for `machine`.
pub fn read_setting(raw: &[u8], machine: &Machine) -> Result<Setting, BadInput> {
    let setting = read(raw)?;
    check_setting(&setting, machine)?;
    Ok(setting)
}

/// What serde makes of `raw`; the field of an error is its path.
pub fn read<T: DeserializeOwned>(raw: &[u8]) -> Result<T, BadInput> {
    if raw.len() > MAX_TEXT {
        return Err(BadInput::new(WHOLE, format!("has {} bytes, more than {MAX_TEXT}", raw.len())));
    }
    let mut json = serde_json::Deserializer::from_slice(raw);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string().replace('[', ".").replace(']', "");
        refused(path.trim_start_matches('.'), &error.into_inner().to_string())
    })?;
    json.end().map_err(|error| BadInput::new(WHOLE, error.to_string()))?;
    Ok(value)
}

/// serde names a missing or unknown key in its message: it belongs to the path.
fn refused(path: &str, message: &str) -> BadInput {
    let named = ["missing field `", "unknown field `"]
        .iter()
        .find_map(|start| message.strip_prefix(start)?.split_once('`').map(|(key, _)| key));
    let field = match (path, named) {
        ("" | "?", Some(key)) => key.to_owned(),
        ("" | "?", None) => WHOLE.to_owned(),
        (path, Some(key)) if path.rsplit('.').next() != Some(key) => format!("{path}.{key}"),
        (path, _) => path.to_owned(),
    };
    BadInput::new(field, message)
}
