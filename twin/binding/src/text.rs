//! JSON text from Python.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

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
