//! Algorithm 1 as the paper has it (Octans, Sec. IV-C): whole chains on nodes in every way that fits, and from each such
//! placement subchains moved to the local node (`subchains`).
//!
//! It is here to compare with, so it refuses what the paper does not know. Where no placement of whole chains fits, which
//! the paper does not foresee either, the result is that of `node_first`.

use crate::control::Control;
use crate::error::BadInput;
use crate::instance::{Chain, Instance, Pattern};
use crate::laws::octans::starts::{Starts, refuse_many};
use crate::laws::octans::subchains::{Params, Search};
use crate::laws::octans::{Outcome, node_first};
use crate::problem::{Objective, Problem};

/// Refuse, by field, a problem with something that Algorithm 1 has no notion of.
pub fn check(problem: &Problem) -> Result<(), BadInput> {
    let mut found: Vec<(String, bool)> = vec![
        ("move_price_mpps".into(), problem.move_price_mpps != 0.0),
        ("margin_mpps".into(), problem.margin_mpps != 0.0),
        ("max_moves".into(), problem.max_moves.is_some()),
        ("objective".into(), problem.objective != Objective::Capacity),
    ];
    for (index, node) in problem.nodes.iter().enumerate() {
        found.push((format!("nodes.{index}.taken"), node.taken != 0));
        found.push((format!("nodes.{index}.background"), node.background != 0.0));
    }
    let first_local = problem.nodes.iter().find(|node| node.local).map(|node| node.id.as_str());
    let ingress = |index: usize| problem.chains[index].ingress.as_deref().or(first_local);
    for (index, chain) in problem.chains.iter().enumerate() {
        found.push((format!("chains.{index}.value"), (chain.value - 1.0).abs() > f64::EPSILON));
        found.push((format!("chains.{index}.rate_mpps"), chain.rate_mpps.is_some()));
        found.push((format!("chains.{index}.ingress"), ingress(index) != ingress(0)));
        found.push((format!("chains.{index}.pin"), chain.pin.is_some()));
        found.push((format!("chains.{index}.nf_pins"), chain.nf_pins.is_some()));
    }
    match found.into_iter().find(|(_, unknown)| *unknown) {
        Some((field, _)) => Err(BadInput::new(field, "is nothing octans knows of; use octans_extended")),
        None => Ok(()),
    }
}

/// Search; `check` has passed. Neither seed nor start matter.
pub fn run(instance: &Instance, params: Params, control: &mut Control) -> Result<Outcome, BadInput> {
    let whole = |chain: &Chain| -> Vec<Pattern> {
        (0..instance.nodes() as u16).map(|node| vec![node; chain.nfs.len()]).collect()
    };
    refuse_many(instance, "octans")?;
    let options: Vec<Vec<Pattern>> = instance.chains.iter().map(whole).collect();
    let mut starts = Starts::new(instance, &options, false);
    starts.refuse_endless("octans", params, control)?;
    let mut search = Search::new(instance, control, params, None);
    starts.each(&mut search);
    let found = search.into_best();
    let assignment = found.unwrap_or_else(|| node_first::run(instance, &mut Control::unlimited()).assignment);
    Ok(Outcome::found(assignment))
}
