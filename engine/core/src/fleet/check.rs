//! Is a request consistent as a whole? Names mean something, ids are unique, running chains have the seats they stand
//! on. `Roster::new` relies on it.

use std::collections::{HashMap, HashSet};

use crate::error::BadInput;
use crate::fleet::request::{FleetHost, FleetRequest, RunningChain};

/// Ok, or the first rule that is broken. Linear in the size of the request.
pub fn check(request: &FleetRequest) -> Result<(), BadInput> {
    let mut hosts = HashMap::new();
    let mut chains = HashSet::new();
    for (index, host) in request.hosts.iter().enumerate() {
        let at = format!("hosts.{index}");
        if hosts.insert(host.id.as_str(), host).is_some() {
            return Err(twice(&format!("{at}.id"), &host.id));
        }
        check_host(request, host, &at, &mut chains)?;
    }
    check_entries(request, &hosts)?;
    for (index, chain) in request.waiting.iter().enumerate() {
        if !chains.insert(&chain.id) {
            return Err(twice(&format!("waiting.{index}.id"), &chain.id));
        }
        if !request.entries.contains_key(&chain.entry) {
            let message = format!("'{}' is not in entries", chain.entry);
            return Err(BadInput::new(format!("waiting.{index}.entry"), message));
        }
    }
    Ok(())
}

fn check_host<'a>(
    request: &FleetRequest,
    host: &'a FleetHost,
    at: &str,
    chains: &mut HashSet<&'a str>,
) -> Result<(), BadInput> {
    if let Some(model) = host.model.as_ref().filter(|model| !request.models.contains_key(*model)) {
        return Err(BadInput::new(format!("{at}.model"), format!("'{model}' is not in models")));
    }
    let mut room = HashMap::new();
    for (index, node) in host.nodes.iter().enumerate() {
        let Some(free) = node.cores.checked_sub(node.taken) else {
            let message = format!("{} is more than the node's {} cores", node.taken, node.cores);
            return Err(BadInput::new(format!("{at}.nodes.{index}.taken"), message));
        };
        if room.insert(node.id.as_str(), free).is_some() {
            return Err(twice(&format!("{at}.nodes.{index}.id"), &node.id));
        }
    }
    for (index, chain) in host.chains.iter().enumerate() {
        let at = format!("{at}.chains.{index}");
        if !chains.insert(&chain.id) {
            return Err(twice(&format!("{at}.id"), &chain.id));
        }
        check_seats(chain, &at, &mut room)?;
    }
    Ok(())
}

fn check_seats<'a>(chain: &'a RunningChain, at: &str, room: &mut HashMap<&'a str, u32>) -> Result<(), BadInput> {
    if !room.contains_key(chain.ingress.as_str()) {
        return Err(BadInput::new(format!("{at}.ingress"), format!("'{}' is not a node of its host", chain.ingress)));
    }
    if chain.placement.len() != chain.nfs.len() {
        let message = format!("names {} nodes for a chain of {} NFs", chain.placement.len(), chain.nfs.len());
        return Err(BadInput::new(format!("{at}.placement"), message));
    }
    for (position, node) in chain.placement.iter().enumerate() {
        let at = format!("{at}.placement.{position}");
        match room.get_mut(node.as_str()) {
            None => return Err(BadInput::new(at, format!("'{node}' is not a node of its host"))),
            Some(0) => return Err(BadInput::new(at, format!("'{node}' has no seat left: cores - taken are all held"))),
            Some(left) => *left -= 1,
        }
    }
    Ok(())
}

fn check_entries(request: &FleetRequest, hosts: &HashMap<&str, &FleetHost>) -> Result<(), BadInput> {
    for (name, doors) in &request.entries {
        let mut seen = HashSet::new();
        for (index, (host, node)) in doors.iter().enumerate() {
            let at = format!("entries.{name}.{index}");
            let Some(found) = hosts.get(host.as_str()) else {
                return Err(BadInput::new(format!("{at}.0"), format!("'{host}' is not the id of a host")));
            };
            if !found.nodes.iter().any(|known| known.id == *node) {
                return Err(BadInput::new(format!("{at}.1"), format!("'{node}' is not a node of '{host}'")));
            }
            if !seen.insert(host) {
                return Err(twice(&format!("{at}.0"), host));
            }
        }
    }
    Ok(())
}

fn twice(at: &str, id: &str) -> BadInput {
    BadInput::new(at, format!("'{id}' is used twice"))
}
