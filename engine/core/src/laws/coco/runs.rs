//! What runs of a chain's elements that are left cost at least, between the neighbours that are placed already.

use crate::laws::coco::problem::{Loads, Problem, ROUNDING};

/// A hop within a core and one to another; None where the latter costs no more, so that changes of core are no loss.
pub fn hops(problem: &Problem) -> Option<(f64, f64)> {
    let distances = problem.distances;
    let several = |of: fn(usize, usize) -> bool| problem.cores.windows(2).any(|pair| of(pair[0].node, pair[1].node));
    let change = if several(|one, other| one != other) {
        distances.same_node.min(distances.other_node)
    } else {
        distances.same_node
    };
    (distances.same_core <= change).then_some((distances.same_core, change))
}

/// Of all hops to or from elements that are left. Each run of them keeps to its placed neighbours' cores as far as these
/// have room, and changes between as seldom as the core with most room allows; nobody else takes that room.
///
/// `at`: the core of each element that is placed. Once it is `limit` or more, no more is added.
pub fn least(
    problem: &Problem,
    loads: &Loads,
    at: impl Fn(usize) -> Option<usize>,
    (hop, change): (f64, f64),
    limit: f64,
) -> f64 {
    let most =
        (0..loads.room.len()).filter(|&core| loads.slots[core] > 0).map(|core| loads.room[core]).fold(0.0, f64::max);
    let mut sum = 0.0;
    for chain in &problem.chains {
        let mut hops = 0usize;
        let mut changes = 0usize;
        let mut before = None;
        let mut from = 0;
        while from < chain.elements.len() {
            if let Some(core) = at(chain.elements[from]) {
                (before, from) = (Some(core), from + 1);
                continue;
            }
            let mut to = from;
            while to < chain.elements.len() && at(chain.elements[to]).is_none() {
                to += 1;
            }
            let after = chain.elements.get(to).and_then(|&element| at(element));
            let run = &chain.elements[from..to];
            hops += run.len() - 1 + usize::from(before.is_some()) + usize::from(after.is_some());
            changes += changes_of(problem, loads, run, (before, after), most);
            from = to;
        }
        sum += chain.rate * (hops as f64 * hop + changes as f64 * (change - hop));
        if sum >= limit {
            break;
        }
    }
    sum
}

fn changes_of(
    problem: &Problem,
    loads: &Loads,
    run: &[usize],
    ends: (Option<usize>, Option<usize>),
    most: f64,
) -> usize {
    let room = |end: Option<usize>| {
        end.map_or(-1.0, |core| if loads.slots[core] > 0 { loads.room[core] + ROUNDING } else { -1.0 })
    };
    let (first, last) = (fits(problem, run.iter(), room(ends.0)), fits(problem, run.iter().rev(), room(ends.1)));
    if first == run.len() && (ends.1.is_none() || ends.0 == ends.1) || last == run.len() && ends.0.is_none() {
        return 0;
    }
    let placed = usize::from(ends.0.is_some()) + usize::from(ends.1.is_some());
    if first + last >= run.len() && ends.0 != ends.1 {
        return placed - 1;
    }
    // Between what the ends take, segments as long as they can be; one at least where a run leaves a core and comes back.
    let between = run.get(first..run.len() - last.min(run.len() - first)).unwrap_or(&[]);
    let (mut segments, mut load) = (1usize, 0.0);
    for &element in between {
        if load + problem.cpu[element] > most + ROUNDING && load > 0.0 {
            (segments, load) = (segments + 1, 0.0);
        }
        load += problem.cpu[element];
    }
    segments + placed - 1
}

/// How many of the elements, from the first on, fit there together.
fn fits<'a>(problem: &Problem, run: impl Iterator<Item = &'a usize>, mut room: f64) -> usize {
    run.take_while(|&&element| {
        room -= problem.cpu[element];
        room >= 0.0
    })
    .count()
}
