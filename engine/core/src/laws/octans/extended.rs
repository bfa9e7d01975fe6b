//! Algorithm 1 (Octans, Sec. IV-C) for everything a problem can hold: pins, taken cores, background, several local nodes,
//! values, rates, a running placement, a price and a limit of moves, and chains that do not fit.
//!
//! What it adds to the paper's: a chain may also begin where it runs now; a chain with pins begins as whole as they
//! allow; a chain that fits whole nowhere is spread over the free cores; and any chain may be rejected, which the first
//! aim (the summed value of the accepted chains) decides.

use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Assignment, Chain, Instance, Pattern};
use crate::laws::octans::starts::{Starts, refuse_many};
use crate::laws::octans::subchains::{Params, Search};
use crate::laws::octans::{Outcome, node_first};
use crate::rank::{Rank, violations};

/// Search; never worse than `node_first`, the running placement or `start`, where those are feasible.
pub fn run(
    instance: &Instance,
    params: Params,
    control: &mut Control,
    start: Option<&Assignment>,
) -> Result<Outcome, BadInput> {
    refuse_many(instance, "octans_extended")?;
    let options: Vec<Vec<Pattern>> = instance.chains.iter().map(|chain| options(instance, chain)).collect();
    let mut starts = Starts::new(instance, &options, true);
    starts.refuse_endless("octans_extended", params, control)?;
    let mut known = vec![node_first::run(instance, &mut Control::unlimited()).assignment];
    known.extend([instance.initial()].into_iter().filter(|running| running.iter().any(Option::is_some)));
    known.extend(start.cloned());
    known.retain(|assignment| violations(instance, assignment).is_empty());
    let best = known.iter().map(|assignment| (Rank::of(instance, assignment), assignment));
    let best = best.reduce(|best, next| if next.0.beats(&best.0) { next } else { best });
    let best = best.map(|(_, assignment)| assignment.clone());
    let mut search = Search::new(instance, control, params, best);
    for assignment in &known {
        search.begin(assignment);
    }
    starts.each(&mut search);
    let assignment = search.into_best().unwrap_or_else(|| vec![None; instance.chains.len()]);
    Ok(Outcome::found(assignment))
}

/// Where it runs now, then as whole on each node as its pins allow, the local node first.
fn options(instance: &Instance, chain: &Chain) -> Vec<Pattern> {
    let nodes = (0..instance.nodes() as u16).filter(|&node| node != chain.ingress);
    let runs = chain.initial.iter().filter(|before| allowed(instance, chain, before));
    let mut options: Vec<Pattern> = runs.cloned().collect();
    for node in std::iter::once(chain.ingress).chain(nodes) {
        let seats = chain.nfs.iter().map(|nf| {
            let allowed = instance.allowed(nf);
            [node, chain.ingress].into_iter().find(|wish| allowed.contains(wish)).or(allowed.first().copied())
        });
        let seats: Option<Pattern> = seats.collect();
        options.extend(seats.filter(|pattern| pattern.contains(&node) && !options.contains(pattern)));
    }
    options
}

fn allowed(instance: &Instance, chain: &Chain, pattern: &[u16]) -> bool {
    chain.nfs.iter().zip(pattern).all(|(nf, node)| instance.allowed(nf).contains(node))
}
