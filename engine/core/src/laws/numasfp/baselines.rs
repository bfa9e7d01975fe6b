//! Placements that never change: what the paper compares with. Resources follow the rates in all of them (Sec. VI).

use crate::error::BadInput;
use crate::laws::numasfp::literal::{first_fit, no_cores};
use crate::laws::numasfp::problem::{Host, Placement};

/// Node-first: in the order of the input, the local node until its resources are used up.
pub fn node_first(host: &Host, rates: &[f64]) -> Result<Placement, BadInput> {
    first_fit(host, &(0..host.chains.len()).collect::<Vec<_>>(), rates)
}

/// Node-balance: in the order of the input, the node whose cores are used least; the first of equal ones.
pub fn node_balance(host: &Host) -> Result<Placement, BadInput> {
    let all = host.free_cores(&[]);
    let mut free = all.clone();
    let mut placement = Vec::with_capacity(host.chains.len());
    for (index, chain) in host.chains.iter().enumerate() {
        let nfs = i64::from(chain.nfs);
        let used = |node: usize| (all[node] - free[node]) as f64 / all[node] as f64;
        let open = (0..host.nodes.len()).filter(|&node| free[node] >= nfs);
        let node = open.min_by(|&one, &other| used(one).total_cmp(&used(other)));
        let node = node.ok_or_else(|| no_cores(host, index))?;
        free[node] -= nfs;
        placement.push(node);
    }
    Ok(placement)
}
