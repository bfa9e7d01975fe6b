//! The engine's one error for input it cannot work with.

use std::borrow::Cow;
use std::fmt;

use crate::problem::MAX_ID;

/// The field of an error that belongs to no field.
pub const WHOLE: &str = "(whole input)";

/// Input that breaks a rule of the problem format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    /// Path of dots and indices: `chains.2.nfs.0`.
    pub field: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl BadInput {
    /// An error at a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }

    /// The same error of a part of a greater input.
    #[must_use]
    pub fn within(self, part: &str) -> Self {
        let field = if self.field == WHOLE { part.to_owned() } else { format!("{part}.{}", self.field) };
        Self { field, ..self }
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for BadInput {}

/// A key of the input as part of a path: visible, and never longer than the longest id.
pub fn part_of_path(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(MAX_ID) {
        Some((end, _)) => Cow::Owned(format!("{}...", &key[..end])),
        None if key.is_empty() => Cow::Borrowed("''"),
        None => Cow::Borrowed(key),
    }
}
