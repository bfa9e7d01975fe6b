//! JSON text from Python and back.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};
use sextant_core::BadInput;

/// The field of an error that concerns a text as a whole.
const WHOLE: &str = "(whole input)";

/// `str` or `bytes` (UTF-8): read where it lies, without a copy and without the GIL.
#[derive(FromPyObject)]
pub enum Text {
    #[pyo3(transparent)]
    Str(PyBackedStr),
    #[pyo3(transparent)]
    Bytes(PyBackedBytes),
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// The value that a JSON text holds; `at` is the argument it came in, empty for the problem itself.
pub fn read<T: DeserializeOwned>(text: impl AsRef<[u8]>, at: &str) -> Result<T, BadInput> {
    let mut reader = serde_json::Deserializer::from_slice(text.as_ref());
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| BadInput::new(field(at, Some(error.path())), error.inner().to_string()))?;
    reader.end().map_err(|error| BadInput::new(field(at, None), error.to_string()))?;
    Ok(value)
}

/// A value as JSON text.
pub fn write(value: &impl Serialize) -> Result<String, BadInput> {
    serde_json::to_string(value).map_err(|error| BadInput::new(WHOLE, error.to_string()))
}

/// `chains.2.nfs.0`
fn field(at: &str, path: Option<&Path>) -> String {
    let inside = path.into_iter().flat_map(Path::iter).filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    let parts: Vec<String> = [at.to_owned()].into_iter().chain(inside).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { WHOLE.to_owned() } else { parts.join(".") }
}
