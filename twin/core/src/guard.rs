//! A panic is a bug of ours; whoever lends the twin to a longer-lived program turns it into an error of that program.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a panic said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked(pub String);

/// The value of `work`, or what its panic said. Everything that `work` owns is dropped, so nothing half done is seen
/// afterwards; what it borrows mutably must not be used after a panic.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Panicked(said(payload.as_ref())))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
