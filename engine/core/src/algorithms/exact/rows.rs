//! The rows of a pattern: Octans' Eq. 9-11 as linear functions of `M_k` and `R_k`, and which of them can ever be least.

use crate::algorithms::exact::options::{Load, Row};
use crate::instance::{Chain, Instance};

/// Append the rows of a pattern; `server` is the sum of all weights on the host.
pub fn push(rows: &mut Vec<Row>, instance: &Instance, chain: &Chain, pattern: &[u16], loads: &[Load], server: f64) {
    let price = instance.move_price * f64::from(chain.moves(pattern));
    let mut constant = |figure: f64| {
        rows.push(Row { whole: figure - price, added: figure - price, slope: [0.0; 2], own: [0.0; 2], node: 0 });
    };
    if chain.value == 0.0 {
        constant(0.0);
        return;
    }
    if chain.rate.is_finite() {
        constant(chain.value * chain.rate);
    }
    let (mut before, mut head) = (u16::MAX, 0.0);
    for (position, (nf, &node)) in chain.nfs.iter().zip(pattern).enumerate() {
        let starts_run = node != before;
        if starts_run {
            head = nf.weight;
        }
        // llc and mem where no other weight counts, and per unit of M_k and R_k.
        let (side, llc, mem, llc_per, mem_per) = if node == chain.ingress {
            let alone = server - nf.weight;
            if position > 0 && starts_run {
                (&nf.local, 1.0, alone, [0.0, 0.0], [0.0, 0.0]) // Eq. 10
            } else {
                (&nf.local, -nf.weight, alone, [1.0, 0.0], [0.0, 0.0]) // Eq. 9, local
            }
        } else if starts_run {
            (&nf.remote, 1.0, -nf.weight, [0.0, 0.0], [1.0, 0.0]) // Eq. 9, remote
        } else {
            (&nf.remote, -head, -nf.weight, [0.0, 1.0], [1.0, 0.0]) // Eq. 11
        };
        let scale = chain.value * side.ideal;
        let slope = [0, 1].map(|sum| scale * (side.alpha * llc_per[sum] + side.beta * mem_per[sum]));
        let whole = chain.value * side.mpps(llc, mem) - price;
        let own = loads.iter().find(|load| load.node == u32::from(node)).map_or([0.0; 2], |load| load.sums);
        rows.push(Row {
            whole,
            added: whole - slope[0] * own[0] - slope[1] * own[1],
            slope,
            own,
            node: u32::from(node),
        });
        before = node;
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
