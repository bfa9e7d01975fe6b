//! CPU time of the calling thread.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A moment on the calling thread's CPU clock.
#[derive(Debug, Clone, Copy)]
pub struct CpuTime(Duration);

impl CpuTime {
    /// Now.
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Self(Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32))
    }

    /// CPU time since, on the same thread.
    pub fn elapsed(self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
