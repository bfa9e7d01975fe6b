//! The twin's one error for input it cannot work with.

use std::fmt;

/// The field of an error that belongs to no field.
pub const WHOLE: &str = "(whole input)";

/// Input that breaks a rule of the format of machines and settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    /// Path of dots and indices: `chains.2.stages.0`.
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
