//! Many hosts in time.

#![expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use sextant_twin_core::BadInput;
use sextant_twin_core::fleet::Fleet as Hosts;
use sextant_twin_core::histogram;
use sextant_twin_core::order::Given;
use sextant_twin_core::reader::{read, read_machine};
use sextant_twin_core::watermarks::Marks;

use crate::text::Text;
use crate::work::without_gil;

/// Hosts by name, whose clocks are moved together. Safe for several threads; a call waits for the one before it.
#[pyclass(frozen, module = "sextant_twin._core")]
pub struct Fleet {
    hosts: Mutex<Hosts>,
}

impl Fleet {
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Hosts) -> Result<T, BadInput> + Send,
    ) -> PyResult<T> {
        without_gil(py, || work(&mut self.locked()))
    }

    /// After a panic nothing is known about the hosts.
    fn locked(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().expect("a call before this one ended in a defect; make another fleet")
    }
}

#[pymethods]
impl Fleet {
    #[new]
    fn new() -> Self {
        Self { hosts: Mutex::default() }
    }

    /// Add a host on which nothing runs; its caches and controllers are looked at once a tick, 10 ms to 1 s.
    #[pyo3(signature = (host, machine, *, seed, tick_s = 0.1))]
    fn add(&self, py: Python<'_>, host: &str, machine: Text, seed: u64, tick_s: f64) -> PyResult<()> {
        self.work(py, |hosts| hosts.add(host, read_machine(machine.as_ref())?, seed, tick_s))
    }

    /// Take a host away.
    fn remove(&self, py: Python<'_>, host: &str) -> PyResult<()> {
        self.work(py, |hosts| hosts.remove(host))
    }

    /// Bring a host to an order (JSON), by difference.
    fn order(&self, py: Python<'_>, host: &str, order: Text) -> PyResult<()> {
        self.work(py, |hosts| hosts.order(host, read(order.as_ref())?))
    }

    /// Give instances (JSON, a list) other LLC ways and another throttle of memory bandwidth.
    fn give(&self, py: Python<'_>, host: &str, given: Text) -> PyResult<()> {
        self.work(py, |hosts| hosts.give(host, &read::<Vec<Given>>(given.as_ref())?))
    }

    /// Start an instance that has crashed.
    fn start(&self, py: Python<'_>, host: &str, instance: &str) -> PyResult<()> {
        self.work(py, |hosts| hosts.start(host, instance))
    }

    /// Let a fault (JSON) strike.
    fn fault(&self, py: Python<'_>, host: &str, fault: Text) -> PyResult<()> {
        self.work(py, |hosts| hosts.fault(host, read(fault.as_ref())?))
    }

    /// Move all clocks by `dt_s` seconds.
    fn step(&self, py: Python<'_>, dt_s: f64) -> PyResult<()> {
        self.work(py, |hosts| hosts.step(dt_s))
    }

    /// What a host says of itself, as JSON.
    fn report(&self, py: Python<'_>, host: &str) -> PyResult<String> {
        self.work(py, |hosts| hosts.report(host)?.json())
    }

    /// Whether watermarks of a ring with room for so many packets hold its chain's back, fill after fill, from an empty ring.
    #[staticmethod]
    fn watermarks(fills: Vec<u32>, room: u32) -> Vec<bool> {
        let (marks, mut on) = (Marks::of(room), false);
        let state = |fill: u32| {
            on = marks.is_on(on, f64::from(fill));
            on
        };
        fills.into_iter().map(state).collect()
    }

    /// Upper bounds of the buckets of latencies, without the last one's.
    #[staticmethod]
    fn latency_bounds_ns() -> Vec<u64> {
        (0..histogram::BOUNDS).map(histogram::bound).collect()
    }
}
