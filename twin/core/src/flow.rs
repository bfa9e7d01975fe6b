//! Packets through the workers of a chain (section 6).

use crate::held_rings::{Means, Ring, Rings};
use crate::layout::Worker;
use crate::packets::Path;
use crate::setting::Backpressure;
use crate::steady::Load;
use crate::watermarks::{HIGH_PERCENT, LOW_PERCENT};

/// Of a ring's room, between its watermarks: where it is filled to where nothing but them holds packets back.
const BETWEEN_MARKS: f64 = (HIGH_PERCENT + LOW_PERCENT) as f64 / 200.0;

/// What becomes of a chain's packets, a second. offered = dropped at the NIC + dropped at rings + filtered + delivered.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// That leave the last worker.
    pub delivered: f64,
    /// That the NIC, its descriptors, or backpressure before the first worker refuse.
    pub dropped_at_nic: f64,
    /// That find a ring full.
    pub dropped_at_rings: f64,
    /// That NFs did not pass on.
    pub filtered: f64,
    /// Offered packets that it could take at most.
    pub capacity: f64,
    /// That line, NIC and memory let in.
    pub arriving: f64,
}

/// Sends what is offered, of which the share `intake` comes to the descriptors, through `workers`; sets what comes to each
/// and what it takes.
pub fn flow(path: &Path, workers: &[Worker], loads: &mut [Load], intake: f64) -> Flow {
    let mut reach = 1.0;
    let mut narrowest = f64::INFINITY;
    for (worker, load) in workers.iter().zip(loads.iter()) {
        if reach > 0.0 {
            narrowest = narrowest.min(load.capacity / reach);
        }
        reach *= worker.pass();
    }
    let arriving = path.offered * intake;
    let means = (path.backpressure == Backpressure::Watermarks).then(|| means(path, workers, loads, arriving));
    let admitted = match (path.backpressure, &means) {
        (Backpressure::None, _) => arriving,
        (_, Some(means)) => means.admitted.min(arriving),
        (_, None) => arriving.min(narrowest),
    };
    let mut flow = Flow { dropped_at_nic: path.offered - admitted, capacity: narrowest, arriving, ..Flow::default() };
    let mut coming = admitted;
    for (place, (worker, load)) in workers.iter().zip(loads).enumerate() {
        load.arriving = if place == 0 && means.is_none() { arriving } else { coming };
        load.taken = coming.min(load.capacity);
        if let Some(means) = &means {
            load.taken = load.taken.min(means.taken[place]);
            load.held = means.held[place];
            load.level = if place == 0 { 1.0 } else { BETWEEN_MARKS };
        }
        let dropped = coming - load.taken;
        let at = if place == 0 { &mut flow.dropped_at_nic } else { &mut flow.dropped_at_rings };
        *at += dropped;
        coming = load.taken * worker.pass();
        flow.filtered += load.taken - coming;
    }
    flow.delivered = coming;
    flow
}

/// In the long run, where watermarks hold back what is too much of `arriving` packets a second.
fn means(path: &Path, workers: &[Worker], loads: &[Load], arriving: f64) -> Means {
    let ring = |(place, (worker, load)): (usize, (&Worker, &Load))| {
        let room = if place == 0 { path.rx_descriptors } else { path.ring };
        Ring::new(place, room as u32, (load.capacity, worker.pass()), 0.0, false)
    };
    Rings::new(workers.iter().zip(loads).enumerate().map(ring).collect(), arriving).means()
}
