//! The rows of a pattern, one an NF: its share of the score as a linear function of `M_k` and `R_k`; and which of them can
//! ever be least.

use crate::instance::{Chain, Instance};
use crate::linear::lines;

/// `M_k` and `R_k` of a node, or slopes against them.
pub type Sums = [f64; 2];

/// One NF on one node; never above what the chain counts.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// At sums of zero, where the sums include the chain itself.
    pub whole: f64,
    /// At sums of zero, where the sums are those of all others.
    pub added: f64,
    /// Loss per unit of `M_k` and `R_k`.
    pub slope: Sums,
    /// What the chain itself adds to the sums on the node.
    pub own: Sums,
    /// k.
    pub node: u32,
}

/// What a pattern puts on one node.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// The node.
    pub node: u32,
    /// NFs on it.
    pub cores: u32,
    /// What they add to `M_k` and `R_k`.
    pub sums: Sums,
}

/// Append the rows of a pattern; `server` is the sum of all weights on the host.
pub fn push(rows: &mut Vec<Row>, instance: &Instance, chain: &Chain, pattern: &[u16], loads: &[Load], server: f64) {
    let price = instance.move_price * f64::from(chain.moves(pattern));
    if chain.rate.is_finite() {
        let whole = chain.value * chain.rate - price;
        rows.push(Row { whole, added: whole, slope: [0.0; 2], own: [0.0; 2], node: 0 });
    }
    for (node, line) in lines(chain, pattern) {
        let slope = [chain.value * line.all, chain.value * line.heads];
        let whole = chain.value * line.at(0.0, 0.0, server) - price;
        let own = loads.iter().find(|load| load.node == u32::from(node)).map_or([0.0; 2], |load| load.sums);
        rows.push(Row {
            whole,
            added: whole - slope[0] * own[0] - slope[1] * own[1],
            slope,
            own,
            node: u32::from(node),
        });
    }
}

/// Drop every row from `from` on that another never exceeds while the others' sums on a node lie between `floor(node)`
/// and `most` above it.
pub fn thin(rows: &mut Vec<Row>, from: usize, floor: &impl Fn(u32) -> f64, most: f64) {
    let mut position = from;
    while position < rows.len() {
        let row = rows[position];
        let idle =
            (from..rows.len()).any(|other| other != position && least_lead(&row, &rows[other], floor, most) >= 0.0);
        if idle {
            rows.remove(position);
        } else {
            position += 1;
        }
    }
}

/// The least that `row` exceeds `other` by.
fn least_lead(row: &Row, other: &Row, floor: &impl Fn(u32) -> f64, most: f64) -> f64 {
    let mut lead = row.added - other.added;
    if row.node == other.node {
        for sum in [0, 1] {
            let steeper = row.slope[sum] - other.slope[sum];
            lead -= steeper * (floor(row.node) + if steeper > 0.0 { most } else { 0.0 });
        }
    } else {
        lead -= (row.slope[0] + row.slope[1]) * (floor(row.node) + most);
        lead += (other.slope[0] + other.slope[1]) * floor(other.node);
    }
    lead
}
