//! Typed access to a JSON tree. Every access knows its path, so that what it refuses names its field.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::{Bound, RangeBounds, RangeInclusive};

use crate::error::{BadInput, WHOLE, part_of_path};
use crate::json::Value;
use crate::problem::MAX_ID;

/// A value and the way to it.
#[derive(Clone, Copy)]
pub struct At<'a> {
    value: &'a Value<'a>,
    path: Path<'a>,
}

/// The way from the root; written out only when something is refused.
#[derive(Clone, Copy)]
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn field(&self) -> String {
        let (parent, part) = match self {
            Path::Root => return WHOLE.to_owned(),
            Path::Key(parent, key) => (parent, part_of_path(key)),
            Path::Index(parent, index) => (parent, Cow::Owned(index.to_string())),
        };
        if matches!(parent, Path::Root) { part.into_owned() } else { format!("{}.{part}", parent.field()) }
    }
}

/// A number as people write it: with an exponent only where it saves many digits.
pub fn figure(number: f64) -> String {
    let plain = number == 0.0 || (1e-4..1e6).contains(&number.abs());
    if plain { number.to_string() } else { format!("{number:e}") }
}

impl<'a> At<'a> {
    /// The root of a tree.
    pub fn root(value: &'a Value<'a>) -> Self {
        Self { value, path: Path::Root }
    }

    /// An error here.
    pub fn refuse(&self, message: impl Into<String>) -> BadInput {
        BadInput::new(self.path.field(), message)
    }

    /// What `read` makes of a value that may be null.
    pub fn or_null<T>(self, read: impl FnOnce(At) -> Result<T, BadInput>) -> Result<Option<T>, BadInput> {
        if *self.value == Value::Null { Ok(None) } else { read(self).map(Some) }
    }

    /// true or false.
    pub fn flag(&self) -> Result<bool, BadInput> {
        match self.value {
            Value::Flag(flag) => Ok(*flag),
            _ => Err(self.refuse("is neither true nor false")),
        }
    }

    /// A whole number of at most `most`.
    pub fn whole(&self, most: u32) -> Result<u32, BadInput> {
        let whole = if let Value::Whole(whole) = self.value { u32::try_from(*whole).ok() } else { None };
        whole.filter(|whole| *whole <= most).ok_or_else(|| {
            self.refuse(format!("is not a whole number, without point and exponent, within 0 and {most}"))
        })
    }

    /// A number within `range`.
    pub fn number(&self, range: impl RangeBounds<f64>) -> Result<f64, BadInput> {
        let number = match self.value {
            Value::Whole(whole) => *whole as f64,
            Value::Number(number) => *number,
            _ => return Err(self.refuse(format!("is not a number {}", words_of(&range)))),
        };
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.refuse(format!("{} is not {}", figure(number), words_of(&range))))
    }

    /// A text.
    pub fn text(&self) -> Result<&'a str, BadInput> {
        match self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.refuse("is not a text")),
        }
    }

    /// A name of 1 to `MAX_ID` characters.
    pub fn id(&self) -> Result<String, BadInput> {
        let text = self.text()?;
        check_id(text).map_err(|message| self.refuse(message))?;
        Ok(text.to_owned())
    }

    /// What `read` makes of each item of a list.
    pub fn list<T>(
        self,
        length: RangeInclusive<usize>,
        read: impl Fn(At) -> Result<T, BadInput>,
    ) -> Result<Vec<T>, BadInput> {
        let Value::List(items) = self.value else {
            return Err(self.refuse("is not a list"));
        };
        self.check_length(items.len(), &length)?;
        let item = |(index, value)| read(At { value, path: Path::Index(&self.path, index) });
        items.iter().enumerate().map(item).collect()
    }

    /// What `read` makes of each value of an object whose keys are ids.
    pub fn map<T, M: FromIterator<(String, T)>>(
        self,
        most: usize,
        read: impl Fn(At) -> Result<T, BadInput>,
    ) -> Result<M, BadInput> {
        let Value::Object(entries) = self.value else {
            return Err(self.refuse("is not an object"));
        };
        self.check_length(entries.len(), &(0..=most))?;
        let mut seen = HashSet::with_capacity(entries.len());
        let entry = |(key, value): &'a (Cow<'a, str>, Value<'a>)| {
            let at = At { value, path: Path::Key(&self.path, key) };
            check_id(key).map_err(|message| at.refuse(format!("its key {message}")))?;
            if !seen.insert(key.as_ref()) {
                return Err(at.refuse(REPEATED));
            }
            Ok((key.clone().into_owned(), read(at)?))
        };
        entries.iter().map(entry).collect()
    }

    /// An object of known keys, each at most once.
    pub fn object(self, keys: &[&str]) -> Result<Object<'a>, BadInput> {
        let Value::Object(entries) = self.value else {
            return Err(self.refuse("is not an object"));
        };
        for (index, (key, value)) in entries.iter().enumerate() {
            let at = At { value, path: Path::Key(&self.path, key) };
            if !keys.contains(&key.as_ref()) {
                return Err(at.refuse("is not a key of the format; remove it or correct its spelling"));
            }
            if entries[..index].iter().any(|(before, _)| before == key) {
                return Err(at.refuse(REPEATED)); // not quadratic: `index` is at most the number of known keys
            }
        }
        Ok(Object { entries, path: self.path })
    }

    fn check_length(&self, length: usize, allowed: &RangeInclusive<usize>) -> Result<(), BadInput> {
        if allowed.contains(&length) {
            return Ok(());
        }
        Err(self.refuse(format!("has {length} entries, not {} to {}", allowed.start(), allowed.end())))
    }
}

const REPEATED: &str = "occurs twice in its object; keep one";

fn check_id(text: &str) -> Result<(), String> {
    if text.is_empty() || text.chars().nth(MAX_ID).is_some() {
        return Err(format!("is not a name of 1 to {MAX_ID} characters"));
    }
    Ok(())
}

fn words_of(range: &impl RangeBounds<f64>) -> String {
    let least = match range.start_bound() {
        Bound::Included(least) => format!("at least {}", figure(*least)),
        Bound::Excluded(least) => format!("above {}", figure(*least)),
        Bound::Unbounded => return "finite".to_owned(),
    };
    match range.end_bound() {
        Bound::Included(most) | Bound::Excluded(most) => format!("{least} and at most {}", figure(*most)),
        Bound::Unbounded => least,
    }
}

/// An object whose keys are checked.
pub struct Object<'a> {
    entries: &'a [(Cow<'a, str>, Value<'a>)],
    path: Path<'a>,
}

impl Object<'_> {
    /// What `read` makes of a value that must be there.
    pub fn required<T>(&self, key: &str, read: impl FnOnce(At) -> Result<T, BadInput>) -> Result<T, BadInput> {
        self.optional(key, read)?
            .ok_or_else(|| BadInput::new(Path::Key(&self.path, key).field(), "is missing; it is required"))
    }

    /// What `read` makes of a value if it is there.
    pub fn optional<T>(&self, key: &str, read: impl FnOnce(At) -> Result<T, BadInput>) -> Result<Option<T>, BadInput> {
        let found = self.entries.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| read(At { value, path: Path::Key(&self.path, key) })).transpose()
    }

    /// What `read` makes of a value if it is there and not null.
    pub fn nullable<T>(&self, key: &str, read: impl FnOnce(At) -> Result<T, BadInput>) -> Result<Option<T>, BadInput> {
        Ok(self.optional(key, |at| at.or_null(read))?.flatten())
    }
}
