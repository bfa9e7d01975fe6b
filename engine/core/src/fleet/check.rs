//! Refuses a request that breaks a rule of the format, by the path of the field.

use std::collections::{HashMap, HashSet};

use crate::error::BadInput;
use crate::fleet::request::{FleetHost, FleetRequest, RunningChain};
use crate::problem::{LARGEST, MAX_CHAINS, MAX_ID, MAX_NFS, MAX_NODES, NfParameters};

/// Most hosts of a request.
pub const MAX_HOSTS: usize = 100_000;

impl FleetRequest {
    /// Ok, or the first rule that is broken.
    pub fn check(&self) -> Result<(), BadInput> {
        for (model, types) in &self.models {
            for (name, parameters) in types {
                check_parameters(parameters, &format!("models.{model}.{name}"))?;
            }
        }
        check_figure(self.move_price_mpps, 0.0, "move_price_mpps")?;
        check_figure(self.margin_mpps, 0.0, "margin_mpps")?;
        at_most(self.hosts.len(), MAX_HOSTS, "hosts")?;
        let mut hosts = HashMap::new();
        let mut chains = HashSet::new();
        for (index, host) in self.hosts.iter().enumerate() {
            let at = format!("hosts.{index}");
            check_id(&host.id, &at)?;
            if hosts.insert(host.id.as_str(), host).is_some() {
                return Err(twice(&format!("{at}.id"), &host.id));
            }
            self.check_host(host, &at, &mut chains)?;
        }
        self.check_entries(&hosts)?;
        at_most(self.waiting.len(), MAX_CHAINS, "waiting")?;
        for (index, chain) in self.waiting.iter().enumerate() {
            let at = format!("waiting.{index}");
            check_chain(&chain.id, &chain.nfs, chain.value, chain.rate_mpps, &at, &mut chains)?;
            if !self.entries.contains_key(&chain.entry) {
                return Err(BadInput::new(format!("{at}.entry"), format!("'{}' is not in entries", chain.entry)));
            }
        }
        Ok(())
    }

    fn check_host<'a>(&self, host: &'a FleetHost, at: &str, chains: &mut HashSet<&'a str>) -> Result<(), BadInput> {
        if let Some(model) = host.model.as_ref().filter(|model| !self.models.contains_key(*model)) {
            return Err(BadInput::new(format!("{at}.model"), format!("'{model}' is not in models")));
        }
        if host.nodes.is_empty() {
            return Err(BadInput::new(format!("{at}.nodes"), "is empty; a host has at least one node"));
        }
        at_most(host.nodes.len(), MAX_NODES, &format!("{at}.nodes"))?;
        at_most(host.chains.len(), MAX_CHAINS, &format!("{at}.chains"))?;
        let mut room = HashMap::new();
        for (index, node) in host.nodes.iter().enumerate() {
            let at = format!("{at}.nodes.{index}");
            check_id(&node.id, &at)?;
            check_figure(node.background, 0.0, &format!("{at}.background"))?;
            at_most(node.cores as usize, LARGEST as usize, &format!("{at}.cores"))?;
            at_most(node.spare as usize, LARGEST as usize, &format!("{at}.spare"))?;
            at_most(node.taken as usize, node.cores as usize, &format!("{at}.taken"))?;
            if room.insert(node.id.as_str(), node.cores.saturating_sub(node.taken)).is_some() {
                return Err(twice(&format!("{at}.id"), &node.id));
            }
        }
        for (index, chain) in host.chains.iter().enumerate() {
            let at = format!("{at}.chains.{index}");
            check_chain(&chain.id, &chain.nfs, chain.value, chain.rate_mpps, &at, chains)?;
            check_seats(chain, &at, &mut room)?;
        }
        Ok(())
    }

    fn check_entries(&self, hosts: &HashMap<&str, &FleetHost>) -> Result<(), BadInput> {
        for (name, doors) in &self.entries {
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

fn check_chain<'a>(
    id: &'a str,
    nfs: &[String],
    value: f64,
    rate: Option<f64>,
    at: &str,
    seen: &mut HashSet<&'a str>,
) -> Result<(), BadInput> {
    check_id(id, at)?;
    if !seen.insert(id) {
        return Err(twice(&format!("{at}.id"), id));
    }
    if nfs.is_empty() {
        return Err(BadInput::new(format!("{at}.nfs"), "is empty; a chain has at least one NF"));
    }
    at_most(nfs.len(), MAX_NFS, &format!("{at}.nfs"))?;
    check_figure(value, 0.0, &format!("{at}.value"))?;
    rate.map_or(Ok(()), |rate| check_figure(rate, 0.0, &format!("{at}.rate_mpps")))
}

fn check_parameters(parameters: &NfParameters, at: &str) -> Result<(), BadInput> {
    let least = 1.0 / LARGEST; // above zero, and its inverse is still within LARGEST
    check_figure(parameters.stalls, least, &format!("{at}.stalls"))?;
    check_figure(parameters.ideal.local, least, &format!("{at}.ideal.local"))?;
    check_figure(parameters.ideal.remote, least, &format!("{at}.ideal.remote"))?;
    for (side, drop) in [("local", &parameters.local), ("remote", &parameters.remote)] {
        check_figure(drop.alpha, 0.0, &format!("{at}.{side}.alpha"))?;
        check_figure(drop.beta, 0.0, &format!("{at}.{side}.beta"))?;
        check_figure(drop.c, -LARGEST, &format!("{at}.{side}.c"))?;
    }
    Ok(())
}

fn check_figure(figure: f64, least: f64, at: &str) -> Result<(), BadInput> {
    if (least..=LARGEST).contains(&figure) {
        return Ok(());
    }
    Err(BadInput::new(at, format!("{figure} is not within {least} and {LARGEST}")))
}

fn check_id(id: &str, at: &str) -> Result<(), BadInput> {
    if (1..=MAX_ID).contains(&id.chars().count()) {
        return Ok(());
    }
    Err(BadInput::new(format!("{at}.id"), format!("has not between 1 and {MAX_ID} characters")))
}

fn at_most(count: usize, most: usize, at: &str) -> Result<(), BadInput> {
    if count <= most {
        return Ok(());
    }
    Err(BadInput::new(at, format!("{count} is more than {most}")))
}

fn twice(at: &str, id: &str) -> BadInput {
    BadInput::new(at, format!("'{id}' is there twice"))
}
