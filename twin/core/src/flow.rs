//! Packets through the workers of a chain (section 6).

use crate::layout::Worker;
use crate::packets::Path;
use crate::steady::Load;

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
    let admitted = if path.backpressure { arriving.min(narrowest) } else { arriving };
    let mut flow = Flow { dropped_at_nic: path.offered - admitted, capacity: narrowest, ..Flow::default() };
    let mut coming = admitted;
    for (place, (worker, load)) in workers.iter().zip(loads).enumerate() {
        load.arriving = if place == 0 { arriving } else { coming };
        load.taken = coming.min(load.capacity);
        let dropped = coming - load.taken;
        let at = if place == 0 { &mut flow.dropped_at_nic } else { &mut flow.dropped_at_rings };
        *at += dropped;
        coming = load.taken * worker.pass();
        flow.filtered += load.taken - coming;
    }
    flow.delivered = coming;
    flow
}
