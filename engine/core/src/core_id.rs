//! Names of cores, as laws that place on cores read and write them.

use serde::Serialize;

use crate::error::BadInput;
use crate::fields::At;

/// A core as its input names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum CoreId {
    /// A number.
    Number(u32),
    /// A text.
    Text(String),
}

impl CoreId {
    /// A text, or a whole number.
    pub fn read(at: At) -> Result<Self, BadInput> {
        if at.text().is_ok() { at.id().map(Self::Text) } else { at.whole(u32::MAX).map(Self::Number) }
    }

    /// As a key of an object has it, where numbers are texts.
    pub fn key(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}
