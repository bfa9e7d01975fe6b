//! What will happen on a host, and when.

use crate::actuation::Knob;
use crate::faults::Fault;
use crate::setting::Instance;

/// Something that happens at a time.
#[derive(Debug, Clone)]
pub enum Event {
    /// A setting of an instance takes effect.
    Turn(Knob, Box<Instance>),
    /// A chain is frozen or thawed.
    Freeze {
        /// Its id.
        chain: String,
        /// Which of the two.
        frozen: bool,
    },
    /// Crashed instances are ordered to start.
    Start(Vec<String>),
    /// The process of an instance takes packets.
    Started {
        /// Its id.
        instance: String,
        /// Which start this is the end of: an older one is of no account.
        starts: u32,
    },
    /// A copy is done.
    Copied,
    /// A fault strikes.
    Strike(Fault),
    /// A fault ends.
    Over(u64),
}

/// Events by time; those of one time in the order in which they were planned.
#[derive(Debug, Clone, Default)]
pub struct Agenda(Vec<(u64, Event)>);

impl Agenda {
    /// Let it happen at `ns`.
    pub fn plan(&mut self, ns: u64, event: Event) {
        let at = self.0.partition_point(|(due, _)| *due <= ns);
        self.0.insert(at, (ns, event));
    }

    /// When the next one happens.
    pub fn next(&self) -> Option<u64> {
        self.0.first().map(|(due, _)| *due)
    }

    /// The next one that has happened by `ns`.
    pub fn take(&mut self, ns: u64) -> Option<Event> {
        self.0.first().is_some_and(|(due, _)| *due <= ns).then(|| self.0.remove(0).1)
    }

    /// Forget what is not kept.
    pub fn keep(&mut self, kept: impl Fn(&Event) -> bool) {
        self.0.retain(|(_, event)| kept(event));
    }

    /// All that will happen.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().map(|(_, event)| event)
    }
}
