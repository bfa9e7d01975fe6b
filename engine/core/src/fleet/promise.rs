//! What a host can promise a newcomer at most: an upper bound of its gain that costs no search.
//!
//! Sound because alpha, beta and weights are never negative: whatever stands on the host now competes with the
//! newcomer, the newcomer's own NFs all weigh on the server's memory, and what stands there can only lose by it.

use crate::fleet::demand::Newcomer;
use crate::fleet::view::View;
use crate::instance::Nf;

/// No placement on the nodes where `open` holds gains more score.
pub fn promise(view: &View, newcomer: Newcomer, open: impl Fn(usize) -> bool) -> f64 {
    let weight = newcomer.weight();
    let server = view.weights.server + weight;
    let mut capacity = newcomer.rate;
    for (position, nf) in newcomer.nfs.iter().enumerate() {
        let mut best = f64::NEG_INFINITY;
        for k in (0..view.weights.all.len()).filter(|&node| open(node)) {
            best = best.max(at_most(view, nf, k, k == newcomer.ingress as usize, position == 0, server));
        }
        capacity = capacity.min(best);
    }
    newcomer.value * capacity - view.least_loss(weight)
}

/// Local: the LLC level is 1 behind a hop (never at the first NF), else at least what stands there now. Remote: it is
/// 1 at the head of a run (always at the first NF), else at least the heads that stand there now.
fn at_most(view: &View, nf: &Nf, k: usize, local: bool, first: bool, server: f64) -> f64 {
    if local {
        let llc = if first { view.weights.all[k] } else { view.weights.all[k].min(1.0) };
        nf.local.mpps(llc, server - nf.weight)
    } else {
        let llc = if first { 1.0 } else { view.weights.heads[k].min(1.0) };
        nf.remote.mpps(llc, view.weights.all[k])
    }
}
