//! Node-balancing placement: every NF goes to the node with the lowest core utilisation (Octans, Sec. VI-C).

use crate::control::Control;
use crate::instance::Instance;
use crate::laws::octans::{Outcome, greedy};

/// One pass; neither seed nor start matter. Utilisation = cores in use / cores of the node; ties go to the first node.
pub fn run(instance: &Instance, control: &mut Control) -> Outcome {
    greedy::run(instance, control, |instance, room, _, nodes| {
        let used = |node: u16| {
            let cores = f64::from(instance.cores[node as usize]);
            (cores - f64::from(room[node as usize])) / cores
        };
        nodes.iter().copied().reduce(|best, node| if used(node) < used(best) { node } else { best }).unwrap_or_default()
    })
}
