//! From JSON to a fleet's request: types and ranges, by the rules that a problem is read by. `check` judges the whole.

use crate::error::BadInput;
use crate::fields::At;
use crate::fleet::check::check;
use crate::fleet::request::{AntiAffinity, FleetHost, FleetNode, FleetRequest, RunningChain, Scope, WaitingChain};
use crate::json::{MAX_VALUES, parse};
use crate::problem::{MAX_CHAINS, MAX_NFS, MAX_NODES};
use crate::reader::{MAX_CORES, NOT_NEGATIVE, POSITIVE, nf_types, objective};

/// Most hosts of a request.
pub const MAX_HOSTS: usize = 100_000;

/// The checked request that `raw` holds.
pub fn read_fleet(raw: &[u8]) -> Result<FleetRequest, BadInput> {
    let tree = parse(raw)?;
    let request = request(At::root(&tree))?;
    check(&request)?;
    Ok(request)
}

fn request(at: At) -> Result<FleetRequest, BadInput> {
    let object = at.object(&[
        "models",
        "hosts",
        "entries",
        "waiting",
        "objective",
        "move_price_mpps",
        "margin_mpps",
        "max_moves",
    ])?;
    let entries = |at: At| at.map(MAX_VALUES, |at| at.list(0..=MAX_HOSTS, door));
    Ok(FleetRequest {
        models: object.required("models", |at| at.map(MAX_HOSTS, nf_types))?,
        hosts: object.required("hosts", |at| at.list(0..=MAX_HOSTS, host))?,
        entries: object.optional("entries", entries)?.unwrap_or_default(),
        waiting: object.optional("waiting", |at| at.list(0..=MAX_CHAINS, waiting))?.unwrap_or_default(),
        objective: object.optional("objective", objective)?.unwrap_or_default(),
        move_price_mpps: object.optional("move_price_mpps", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
        margin_mpps: object.optional("margin_mpps", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
        max_moves: object.nullable("max_moves", |at| at.whole(u32::MAX))?,
    })
}

fn host(at: At) -> Result<FleetHost, BadInput> {
    let object = at.object(&["id", "model", "trusted", "may_move", "nodes", "chains"])?;
    Ok(FleetHost {
        id: object.required("id", |at| at.id())?,
        model: object.nullable("model", |at| at.id())?,
        trusted: object.optional("trusted", |at| at.flag())?.unwrap_or(true),
        may_move: object.optional("may_move", |at| at.flag())?.unwrap_or_default(),
        nodes: object.required("nodes", |at| at.list(1..=MAX_NODES, node))?,
        chains: object.optional("chains", |at| at.list(0..=MAX_CHAINS, running))?.unwrap_or_default(),
    })
}

fn node(at: At) -> Result<FleetNode, BadInput> {
    let object = at.object(&["id", "cores", "taken", "background", "spare"])?;
    Ok(FleetNode {
        id: object.required("id", |at| at.id())?,
        cores: object.required("cores", |at| at.whole(MAX_CORES))?,
        taken: object.optional("taken", |at| at.whole(MAX_CORES))?.unwrap_or_default(),
        background: object.optional("background", |at| at.number(NOT_NEGATIVE))?.unwrap_or_default(),
        spare: object.optional("spare", |at| at.whole(MAX_CORES))?.unwrap_or_default(),
    })
}

fn running(at: At) -> Result<RunningChain, BadInput> {
    let object = at.object(&["id", "nfs", "value", "rate_mpps", "ingress", "placement", "stays", "anti_affinity"])?;
    Ok(RunningChain {
        id: object.required("id", |at| at.id())?,
        nfs: object.required("nfs", |at| at.list(1..=MAX_NFS, |at| at.id()))?,
        value: object.optional("value", |at| at.number(POSITIVE))?.unwrap_or(1.0),
        rate_mpps: object.nullable("rate_mpps", |at| at.number(NOT_NEGATIVE))?,
        ingress: object.required("ingress", |at| at.id())?,
        placement: object.required("placement", |at| at.list(0..=MAX_NFS, |at| at.id()))?,
        stays: object.optional("stays", |at| at.flag())?.unwrap_or_default(),
        anti_affinity: object.nullable("anti_affinity", anti_affinity)?,
    })
}

fn waiting(at: At) -> Result<WaitingChain, BadInput> {
    let object = at.object(&["id", "nfs", "value", "rate_mpps", "entry", "anti_affinity"])?;
    Ok(WaitingChain {
        id: object.required("id", |at| at.id())?,
        nfs: object.required("nfs", |at| at.list(1..=MAX_NFS, |at| at.id()))?,
        value: object.optional("value", |at| at.number(POSITIVE))?.unwrap_or(1.0),
        rate_mpps: object.nullable("rate_mpps", |at| at.number(NOT_NEGATIVE))?,
        entry: object.required("entry", |at| at.id())?,
        anti_affinity: object.nullable("anti_affinity", anti_affinity)?,
    })
}

fn anti_affinity(at: At) -> Result<AntiAffinity, BadInput> {
    let object = at.object(&["group", "scope"])?;
    Ok(AntiAffinity { group: object.required("group", |at| at.id())?, scope: object.required("scope", scope)? })
}

fn scope(at: At) -> Result<Scope, BadInput> {
    match at.text()? {
        "host" => Ok(Scope::Host),
        "node" => Ok(Scope::Node),
        _ => Err(at.refuse("is neither 'host' nor 'node'")),
    }
}

/// `[host, node]`.
fn door(at: At) -> Result<(String, String), BadInput> {
    let pair = at.list(2..=2, |at| at.id())?;
    let [host, node] = pair.try_into().map_err(|_| at.refuse("is not a host and a node"))?;
    Ok((host, node))
}
