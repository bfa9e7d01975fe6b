//! From JSON to a problem: types and ranges. What is doubtful is refused with the path of its field; `check` judges
//! the whole. Nothing is converted: `"10"` is not 10.

use std::collections::BTreeMap;
use std::ops::{Bound, RangeInclusive};

use crate::check::check;
use crate::error::BadInput;
use crate::fields::At;
use crate::json::{MAX_VALUES, parse};
use crate::problem::{
    Chain, DropCoefficients, LARGEST, LocalRemote, MAX_CHAINS, MAX_NFS, MAX_NODES, NfParameters, Node, Objective,
    Placement, Problem,
};

/// Most cores of a node.
pub const MAX_CORES: u32 = 1_000_000;

const ANY: RangeInclusive<f64> = -LARGEST..=LARGEST;
pub(crate) const NOT_NEGATIVE: RangeInclusive<f64> = 0.0..=LARGEST;
pub(crate) const POSITIVE: (Bound<f64>, Bound<f64>) = (Bound::Excluded(0.0), Bound::Included(LARGEST));
const STALLS: RangeInclusive<f64> = 1.0 / LARGEST..=LARGEST; // the weight, 1 / stalls, is bounded like all else

/// The checked problem that `raw` holds.
pub fn read_problem(raw: &[u8]) -> Result<Problem, BadInput> {
    let tree = parse(raw)?;
    let problem = problem(At::root(&tree))?;
    check(&problem)?;
    Ok(problem)
}

/// The checked problem and the placement in `{"problem": ..., "assignment": ...}`. Whether the placement belongs to the
/// problem, `instance::assignment_of` says.
pub fn read_evaluation(raw: &[u8]) -> Result<(Problem, Placement), BadInput> {
    let tree = parse(raw)?;
    let object = At::root(&tree).object(&["problem", "assignment"])?;
    let problem = object.required("problem", problem)?;
    let placement = object.required("assignment", placement)?;
    check(&problem).map_err(|error| BadInput::new(format!("problem.{}", error.field), error.message))?;
    Ok((problem, placement))
}

/// The placement that `raw` holds.
pub fn read_placement(raw: &[u8]) -> Result<Placement, BadInput> {
    placement(At::root(&parse(raw)?))
}

fn problem(at: At) -> Result<Problem, BadInput> {
    let object = at.object(&[
        "nodes",
        "nf_types",
        "chains",
        "objective",
        "initial",
        "move_price_mpps",
        "margin_mpps",
        "max_moves",
    ])?;
    Ok(Problem {
        nodes: object.optional("nodes", |at| at.list(0..=MAX_NODES, node))?.unwrap_or_default(),
        nf_types: object.required("nf_types", nf_types)?,
        chains: object.optional("chains", |at| at.list(0..=MAX_CHAINS, chain))?.unwrap_or_default(),
        objective: object.optional("objective", objective)?.unwrap_or_default(),
        initial: object.nullable("initial", placement)?,
        move_price_mpps: object.optional("move_price_mpps", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
        margin_mpps: object.optional("margin_mpps", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
        max_moves: object.nullable("max_moves", |at| at.whole(u32::MAX))?,
    })
}

fn node(at: At) -> Result<Node, BadInput> {
    let object = at.object(&["id", "local", "cores", "taken", "background"])?;
    Ok(Node {
        id: object.required("id", |at| at.id())?,
        local: object.required("local", |at| at.flag())?,
        cores: object.required("cores", |at| at.whole(MAX_CORES))?,
        taken: object.optional("taken", |at| at.whole(MAX_CORES))?.unwrap_or_default(),
        background: object.optional("background", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
    })
}

/// Parameters by NF type.
pub(crate) fn nf_types(at: At) -> Result<BTreeMap<String, NfParameters>, BadInput> {
    at.map(MAX_VALUES, nf_parameters)
}

fn nf_parameters(at: At) -> Result<NfParameters, BadInput> {
    let object = at.object(&["stalls", "ideal", "local", "remote"])?;
    Ok(NfParameters {
        stalls: object.required("stalls", |at| at.number(STALLS))?,
        ideal: object.required("ideal", |at| {
            let object = at.object(&["local", "remote"])?;
            Ok(LocalRemote {
                local: object.required("local", |at| at.number(POSITIVE))?,
                remote: object.required("remote", |at| at.number(POSITIVE))?,
            })
        })?,
        local: object.required("local", drop_coefficients)?,
        remote: object.required("remote", drop_coefficients)?,
    })
}

fn drop_coefficients(at: At) -> Result<DropCoefficients, BadInput> {
    let object = at.object(&["alpha", "beta", "c"])?;
    Ok(DropCoefficients {
        alpha: object.required("alpha", |at| at.number(NOT_NEGATIVE))?,
        beta: object.required("beta", |at| at.number(NOT_NEGATIVE))?,
        c: object.required("c", |at| at.number(ANY))?,
    })
}

fn chain(at: At) -> Result<Chain, BadInput> {
    let object = at.object(&["id", "nfs", "value", "rate_mpps", "ingress", "pin", "nf_pins"])?;
    Ok(Chain {
        id: object.required("id", |at| at.id())?,
        nfs: object.required("nfs", |at| at.list(1..=MAX_NFS, |at| at.id()))?,
        value: object.optional("value", |at| at.number(POSITIVE))?.unwrap_or(1.0),
        rate_mpps: object.nullable("rate_mpps", |at| at.number(NOT_NEGATIVE))?,
        ingress: object.nullable("ingress", |at| at.id())?,
        pin: object.nullable("pin", |at| at.list(1..=MAX_NODES, |at| at.id()))?,
        nf_pins: object.nullable("nf_pins", |at| at.list(0..=MAX_NFS, |at| at.or_null(|at| at.id())))?,
    })
}

/// What a chain counts.
pub(crate) fn objective(at: At) -> Result<Objective, BadInput> {
    match at.text()? {
        "capacity" => Ok(Objective::Capacity),
        "served" => Ok(Objective::Served),
        _ => Err(at.refuse("is neither 'capacity' nor 'served'")),
    }
}

fn placement(at: At) -> Result<Placement, BadInput> {
    at.map(MAX_CHAINS, |at| at.list(0..=MAX_NFS, |at| at.id()))
}
