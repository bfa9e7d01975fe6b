//! A panic must not end the program that calls the engine.

use sextant_core::guard::{Panicked, guarded};

#[test]
fn a_value_passes() {
    assert_eq!(guarded(|| 6 * 7), Ok(42));
}

/// The two kinds of message that the language makes: of an index (a String) and of `panic!` with plain words (a &str).
#[test]
fn a_panic_becomes_what_it_said() {
    let nodes: Vec<u32> = Vec::new();
    let message = "index out of bounds: the len is 0 but the index is 3";
    assert_eq!(guarded(|| nodes[3]), Err(Panicked(message.to_owned())));
    assert_eq!(guarded(|| panic!("no room")), Err::<(), _>(Panicked("no room".to_owned())));
}
