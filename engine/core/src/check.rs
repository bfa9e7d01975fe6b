//! Is a problem consistent as a whole? Names mean something, ids are unique, lengths agree. `Instance::new` relies on it.

use std::collections::{HashMap, HashSet};

use crate::error::BadInput;
use crate::problem::{Chain, Node, Problem};

/// Ok, or the first rule that is broken. Linear in the size of the problem.
pub fn check(problem: &Problem) -> Result<(), BadInput> {
    let nodes = check_nodes(problem)?;
    let mut lengths: HashMap<&str, usize> = HashMap::with_capacity(problem.chains.len());
    for (index, chain) in problem.chains.iter().enumerate() {
        let at = Place { prefix: "chains", index };
        if lengths.insert(&chain.id, chain.nfs.len()).is_some() {
            return Err(at.refuse("id", format!("'{}' is used twice; chain ids are unique", chain.id)));
        }
        check_chain(problem, chain, &at, &nodes)?;
    }
    for (name, placed) in problem.initial.iter().flatten() {
        for (position, node) in placed.iter().enumerate() {
            if !nodes.contains_key(node.as_str()) {
                return Err(BadInput::new(format!("initial.{name}.{position}"), unknown_node(node)));
            }
        }
        if let Some(&length) = lengths.get(name.as_str()).filter(|&&length| length != placed.len()) {
            let message = format!("names {} nodes for a chain of {length} NFs", placed.len());
            return Err(BadInput::new(format!("initial.{name}"), message));
        }
    }
    Ok(())
}

/// An item of a list of the problem; its path is written out only when something is refused.
struct Place {
    prefix: &'static str,
    index: usize,
}

impl Place {
    fn refuse(&self, field: impl std::fmt::Display, message: String) -> BadInput {
        BadInput::new(format!("{}.{}.{field}", self.prefix, self.index), message)
    }
}

fn check_nodes(problem: &Problem) -> Result<HashMap<&str, &Node>, BadInput> {
    let mut nodes = HashMap::with_capacity(problem.nodes.len());
    for (index, node) in problem.nodes.iter().enumerate() {
        let at = Place { prefix: "nodes", index };
        if nodes.insert(node.id.as_str(), node).is_some() {
            return Err(at.refuse("id", format!("'{}' is used twice; node ids are unique", node.id)));
        }
        if node.taken > node.cores {
            let message = format!("{} is more than the node's {} cores", node.taken, node.cores);
            return Err(at.refuse("taken", message));
        }
    }
    if !problem.chains.is_empty() && !problem.nodes.iter().any(|node| node.local) {
        let message = "no node is local; packets must arrive on one, so set local: true there";
        return Err(BadInput::new("nodes", message));
    }
    Ok(nodes)
}

fn check_chain(problem: &Problem, chain: &Chain, at: &Place, nodes: &HashMap<&str, &Node>) -> Result<(), BadInput> {
    for (position, name) in chain.nfs.iter().enumerate() {
        if !problem.nf_types.contains_key(name) {
            let message = format!("'{name}' is not in nf_types; add its parameters");
            return Err(at.refuse(format_args!("nfs.{position}"), message));
        }
    }
    if let Some(name) = &chain.ingress {
        let node = nodes.get(name.as_str()).ok_or_else(|| at.refuse("ingress", unknown_node(name)))?;
        if !node.local {
            let message = format!("'{name}' is not a local node; packets cannot arrive there");
            return Err(at.refuse("ingress", message));
        }
    }
    for (position, name) in chain.pin.iter().flatten().enumerate() {
        if !nodes.contains_key(name.as_str()) {
            return Err(at.refuse(format_args!("pin.{position}"), unknown_node(name)));
        }
    }
    let Some(nf_pins) = &chain.nf_pins else { return Ok(()) };
    if nf_pins.len() != chain.nfs.len() {
        let message = format!("has {} entries for {} NFs; use null for a free one", nf_pins.len(), chain.nfs.len());
        return Err(at.refuse("nf_pins", message));
    }
    let confined: Option<HashSet<&str>> = chain.pin.as_ref().map(|pin| pin.iter().map(String::as_str).collect());
    for (position, name) in nf_pins.iter().enumerate() {
        let Some(name) = name else { continue };
        let message = if !nodes.contains_key(name.as_str()) {
            unknown_node(name)
        } else if confined.as_ref().is_some_and(|confined| !confined.contains(name.as_str())) {
            format!("'{name}' is not among the nodes of pin")
        } else {
            continue;
        };
        return Err(at.refuse(format_args!("nf_pins.{position}"), message));
    }
    Ok(())
}

fn unknown_node(name: &str) -> String {
    format!("'{name}' is not the id of a node")
}
