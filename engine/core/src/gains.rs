//! What each moved NF is worth: the way from one placement to another, step by step.
//!
//! The gains telescope: each is the score after its step less the score before it, so they sum to the whole difference.
//! A gain depends on the order. Placements on the way may exceed capacity; they are arithmetic, nobody runs them.

use serde::Serialize;

use crate::error::BadInput;
use crate::instance::{Assignment, Instance, assignment_of};
use crate::laws::octans::solve::delivered;
use crate::model;
use crate::problem::{Placement, Problem};

/// Most steps of one way: each costs an evaluation of the host.
pub const MOST_STEPS: usize = 10_000;

/// One change of a placement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Step {
    /// Id of the chain.
    pub chain: String,
    /// Position of the NF that moves; None: the whole chain comes or goes.
    pub position: Option<usize>,
}

/// A step and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveGain {
    /// What changes.
    #[serde(flatten)]
    pub step: Step,
    /// Node that the NF leaves; None for a chain that comes or goes.
    pub from: Option<String>,
    /// Node that it goes to; likewise.
    pub to: Option<String>,
    /// What the step adds to the score before the price of moves, value x Mpps.
    pub gain_mpps: f64,
    /// What it adds to what all chains deliver together, Mpps: whatever they are worth.
    pub mpps: f64,
}

/// The gains from `before` to `after`, in the order of chains and positions or in the `order` given: one step for every
/// NF that moves, and one for every chain that only one of the two accepts.
pub fn gains(
    problem: &Problem,
    before: &Placement,
    after: &Placement,
    order: Option<&[Step]>,
) -> Result<Vec<MoveGain>, BadInput> {
    let instance = Instance::new(problem);
    let mut current = assignment_of(problem, before, "before")?;
    let target = assignment_of(problem, after, "after")?;
    let steps = ordered(steps(problem, before, after)?, order)?;
    let index_of = |step: &Step| problem.chains.iter().position(|chain| chain.id == step.chain).unwrap_or(0);
    let mut gains = Vec::with_capacity(steps.len());
    let (mut score, mut mpps) = score_and_mpps(&instance, &current);
    for step in steps {
        let chain = index_of(&step);
        let node = |placement: &Placement| placement.get(&step.chain)?.get(step.position?).cloned();
        let (from, to) = (node(before), node(after));
        match (step.position, &mut current[chain], &target[chain]) {
            (Some(position), Some(now), Some(then)) => now[position] = then[position],
            (_, now, then) => now.clone_from(then),
        }
        let reached = score_and_mpps(&instance, &current);
        gains.push(MoveGain { step, from, to, gain_mpps: reached.0 - score, mpps: reached.1 - mpps });
        (score, mpps) = reached;
    }
    Ok(gains)
}

/// Value x Mpps as the score counts it, without the price of moves, and Mpps delivered.
fn score_and_mpps(instance: &Instance, assignment: &Assignment) -> (f64, f64) {
    let figures = model::evaluate(instance, assignment);
    let accepted = instance.chains.iter().zip(&figures).filter_map(|(chain, found)| Some((chain, found.as_ref()?)));
    accepted.fold((0.0, 0.0), |(score, mpps), (chain, found)| {
        (score + chain.counted(found.capacity), mpps + delivered(chain.rate, found))
    })
}

fn steps(problem: &Problem, before: &Placement, after: &Placement) -> Result<Vec<Step>, BadInput> {
    let mut steps = Vec::new();
    for chain in &problem.chains {
        let step = |position| Step { chain: chain.id.clone(), position };
        match (before.get(&chain.id), after.get(&chain.id)) {
            (Some(then), Some(now)) => {
                let moved = then.iter().zip(now).enumerate().filter(|(_, (then, now))| then != now);
                steps.extend(moved.map(|(position, _)| step(Some(position))));
            }
            (None, None) => {}
            _ => steps.push(step(None)),
        }
    }
    if steps.len() > MOST_STEPS {
        return Err(BadInput::new("after", format!("is {} steps away, at most {MOST_STEPS}", steps.len())));
    }
    Ok(steps)
}

fn ordered(steps: Vec<Step>, order: Option<&[Step]>) -> Result<Vec<Step>, BadInput> {
    let Some(order) = order else { return Ok(steps) };
    let (mut asked, mut needed) = (order.to_vec(), steps);
    asked.sort();
    needed.sort();
    if asked == needed {
        return Ok(order.to_vec());
    }
    Err(BadInput::new("order", "must name every change from before to after once, and nothing else"))
}
