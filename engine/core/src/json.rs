//! JSON as a tree, before anything is known about its meaning. What is no finite number is refused with its path; keys
//! stay as they were given, so that `fields` can refuse one that is given twice.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::error::{BadInput, WHOLE, part_of_path};

/// Longest input, in bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Most values in one input: a tree of so many takes about 300 MB.
pub const MAX_VALUES: usize = 8 << 20;

/// A JSON value; texts are borrowed from the input where they hold no escape.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
    /// null
    Null,
    /// true or false
    Flag(bool),
    /// A number without sign, point and exponent.
    Whole(u64),
    /// Any other number; finite.
    Number(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// An array.
    List(Vec<Value<'a>>),
    /// An object, in the input's order; keys may repeat.
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
}

/// The tree that `raw` holds.
pub fn parse(raw: &[u8]) -> Result<Value<'_>, BadInput> {
    if raw.len() > MAX_BYTES {
        return Err(BadInput::new(WHOLE, format!("is larger than {MAX_BYTES} bytes")));
    }
    let text = std::str::from_utf8(raw).map_err(|error| {
        BadInput::new(WHOLE, format!("is not UTF-8 (byte {}); write it in UTF-8", error.valid_up_to()))
    })?;
    let mut json = serde_json::Deserializer::from_str(text);
    let reading = Reading::default();
    let tree = Tree(&reading).deserialize(&mut json).and_then(|tree| json.end().map(|()| tree));
    tree.map_err(|error| bad_input(text, &error, reading))
}

/// The error in the words of the format.
fn bad_input(text: &str, error: &serde_json::Error, reading: Reading) -> BadInput {
    let (line, column) = (error.line(), error.column());
    let word = word_at(text, line, column);
    if word.parse::<f64>().is_ok_and(|number| !number.is_finite()) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return BadInput::new(WHOLE, format!("holds a number of too many digits in line {line}, column {column}"));
        }
        return BadInput::new(reading.field(), "is not a finite number");
    }
    let problem = error.to_string();
    if problem.starts_with("recursion limit") {
        return BadInput::new(WHOLE, format!("is nested too deeply in line {line}, column {column}"));
    }
    let message = if error.is_data() { problem } else { format!("is not JSON: {problem}") };
    BadInput::new(WHOLE, message)
}

/// The number or word around a position; lines and columns count from 1, columns in bytes.
fn word_at(text: &str, line: usize, column: usize) -> &str {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let bytes = line.as_bytes();
    let (before, after) = bytes.split_at(column.saturating_sub(1).min(bytes.len()));
    let from = before.len() - before.iter().rev().take_while(|byte| in_word(byte)).count();
    let to = before.len() + after.iter().take_while(|byte| in_word(byte)).count();
    line.get(from..to).unwrap_or_default()
}

/// What is known besides the tree.
#[derive(Default)]
struct Reading {
    /// Values begun so far.
    values: Cell<usize>,
    /// Filled on the way out of an error: the innermost key or index first.
    path: RefCell<Vec<String>>,
}

impl Reading {
    fn leave(&self, key: &str) {
        self.path.borrow_mut().push(part_of_path(key).into_owned());
    }

    fn field(self) -> String {
        let mut path = self.path.into_inner();
        path.reverse();
        if path.is_empty() { WHOLE.to_owned() } else { path.join(".") }
    }
}

/// Reads a value and counts it.
#[derive(Clone, Copy)]
struct Tree<'c>(&'c Reading);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.values.set(self.0.values.get() + 1);
        if self.0.values.get() > MAX_VALUES {
            return Err(D::Error::custom(format!("holds more than {MAX_VALUES} values")));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_u64<E>(self, whole: u64) -> Result<Self::Value, E> {
        Ok(Value::Whole(whole))
    }

    fn visit_i64<E>(self, negative: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(negative as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self).inspect_err(|_| self.0.leave(&items.len().to_string()))? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            let value = map.next_value_seed(self).inspect_err(|_| self.0.leave(&key))?;
            entries.push((key, value));
        }
        Ok(Value::Object(entries))
    }
}

/// A key, borrowed where it can be.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
