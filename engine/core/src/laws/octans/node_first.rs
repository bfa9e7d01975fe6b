//! Node-first placement: NFs go to the chain's local node until it is full, then to the others (Octans, Sec. VI-C).

use crate::control::Control;
use crate::instance::Instance;
use crate::laws::octans::{Outcome, greedy};

/// One pass; neither seed nor start matter.
pub fn run(instance: &Instance, control: &mut Control) -> Outcome {
    greedy::run(instance, control, |instance, _, chain, nodes| {
        let local = instance.chains[chain].ingress;
        if nodes.contains(&local) { local } else { nodes[0] }
    })
}
