//! A request made ready: names become indices, hosts stand in the order of their ids, waiting chains in the order they
//! choose in, and what many chains share is kept once.

use std::collections::HashMap;

use crate::fleet::apart::Apart;
use crate::fleet::demand::{Demand, Newcomer, Seated};
use crate::fleet::request::{AntiAffinity, FleetHost, FleetRequest, WaitingChain};
use crate::instance::Nf;
use crate::problem::Objective;

/// One host.
#[derive(Debug)]
pub struct Host<'a> {
    /// As it was asked.
    pub asked: &'a FleetHost,
    /// Index of its host model.
    pub model: Option<usize>,
    /// Ordinary seats of each node, those that running chains hold included.
    pub seats: Vec<u32>,
    /// Seats of last choice of each node.
    pub spare: Vec<u32>,
    /// Foreign weight of each node.
    pub background: Vec<f64>,
    /// What runs here, in the order of the request.
    pub running: Vec<Seated>,
}

impl Host<'_> {
    /// True where running chains may change nodes: without trust in the model nothing justifies a move.
    pub fn may_move(&self) -> bool {
        self.asked.may_move && self.asked.trusted && self.model.is_some()
    }

    /// Seats of last choice.
    pub fn spare_seats(&self) -> u64 {
        self.spare.iter().map(|&seats| u64::from(seats)).sum()
    }

    /// Ordinary seats and seats of last choice that no running chain holds.
    pub fn open_seats(&self) -> u64 {
        let held: u64 = self.running.iter().map(|chain| u64::from(chain.demand.length)).sum();
        self.seats.iter().chain(&self.spare).map(|&seats| u64::from(seats)).sum::<u64>() - held
    }
}

/// One waiting chain.
#[derive(Debug)]
pub struct Waiting<'a> {
    /// As it was asked.
    pub asked: &'a WaitingChain,
    /// What it asks for.
    pub demand: Demand,
    /// Index into `Roster::entries`.
    pub entry: usize,
}

/// The whole fleet by indices.
#[derive(Debug)]
pub struct Roster<'a> {
    /// As it was asked.
    pub request: &'a FleetRequest,
    /// By id: a lower index is a lower id.
    pub hosts: Vec<Host<'a>>,
    /// By falling value, then by id: an index here is a chain's rank.
    pub waiting: Vec<Waiting<'a>>,
    /// Of each way in, the hosts it leads to, rising, and the ingress node there.
    pub entries: Vec<Vec<(u32, u16)>>,
    nfs: Vec<Vec<Option<Vec<Nf>>>>, // by host model, then by kind
}

impl<'a> Roster<'a> {
    /// The roster of a checked request.
    pub fn new(request: &'a FleetRequest) -> Self {
        let mut kinds = Kinds::default();
        let mut groups = Groups::default();
        let served = request.objective == Objective::Served;
        let mut demand = |nfs: &'a [String], value: f64, rate: Option<f64>, apart: Option<&'a AntiAffinity>| Demand {
            kind: kinds.index(nfs),
            length: nfs.len() as u32,
            value,
            rate: rate.filter(|_| served).unwrap_or(f64::INFINITY),
            apart: apart.map(|asked| groups.apart(asked)),
        };
        let mut asked: Vec<&FleetHost> = request.hosts.iter().collect();
        asked.sort_by(|a, b| a.id.cmp(&b.id));
        let host_of: HashMap<&str, usize> =
            asked.iter().enumerate().map(|(index, host)| (host.id.as_str(), index)).collect();
        let hosts: Vec<Host> = asked
            .into_iter()
            .map(|asked| Host {
                asked,
                model: asked.model.as_ref().and_then(|name| request.models.keys().position(|known| known == name)),
                seats: asked.nodes.iter().map(|node| node.cores - node.taken).collect(),
                spare: asked.nodes.iter().map(|node| node.spare).collect(),
                background: asked.nodes.iter().map(|node| node.background).collect(),
                running: asked
                    .chains
                    .iter()
                    .map(|chain| Seated {
                        rank: None,
                        demand: demand(&chain.nfs, chain.value, chain.rate_mpps, chain.anti_affinity.as_ref()),
                        ingress: node_of(asked, &chain.ingress),
                        pattern: chain.placement.iter().map(|node| node_of(asked, node)).collect(),
                    })
                    .collect(),
            })
            .collect();
        let entry_of: HashMap<&str, usize> =
            request.entries.keys().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let mut waiting: Vec<Waiting> = request
            .waiting
            .iter()
            .map(|asked| Waiting {
                asked,
                demand: demand(&asked.nfs, asked.value, asked.rate_mpps, asked.anti_affinity.as_ref()),
                entry: entry_of[asked.entry.as_str()],
            })
            .collect();
        waiting.sort_by(|a, b| b.demand.value.total_cmp(&a.demand.value).then_with(|| a.asked.id.cmp(&b.asked.id)));
        let entries = request.entries.values().map(|doors| {
            let door = |(host, node): &(String, String)| {
                let index = host_of[host.as_str()];
                (index as u32, node_of(hosts[index].asked, node))
            };
            let mut doors: Vec<(u32, u16)> = doors.iter().map(door).collect();
            doors.sort_unstable();
            doors
        });
        let entries = entries.collect();
        let nfs = request.models.values().map(|model| {
            let parameters = |kind: &&[String]| {
                kind.iter().map(|name| model.get(name).map(|found| Nf::new(found, 0))).collect::<Option<Vec<Nf>>>()
            };
            kinds.names.iter().map(parameters).collect()
        });
        let nfs = nfs.collect();
        Self { request, hosts, waiting, entries, nfs }
    }

    /// The NFs of a kind of chain on a host; None where some type has no parameters.
    pub fn nfs(&self, host: usize, kind: u32) -> Option<&[Nf]> {
        self.nfs[self.hosts[host].model?][kind as usize].as_deref()
    }

    /// No host of any model gains more by a waiting chain.
    pub fn solo_bound(&self, rank: usize) -> f64 {
        let Demand { kind, value, rate, .. } = self.waiting[rank].demand;
        let known = self.nfs.iter().filter_map(|kinds| kinds[kind as usize].as_deref());
        known.map(|nfs| Newcomer { nfs, value, rate, ingress: 0 }.solo_bound()).fold(0.0, f64::max)
    }

    /// The ranks of all waiting chains that are worth as much as this one.
    pub fn equals(&self, rank: u32) -> std::ops::Range<u32> {
        let value = self.waiting[rank as usize].demand.value;
        let first = self.waiting.partition_point(|chain| chain.demand.value > value);
        first as u32..first as u32 + self.waiting[first..].partition_point(|chain| chain.demand.value >= value) as u32
    }

    /// The node a waiting chain's packets arrive on at a host; None: they cannot.
    pub fn ingress(&self, rank: usize, host: usize) -> Option<u16> {
        let doors = self.doors(rank);
        doors.binary_search_by_key(&(host as u32), |door| door.0).ok().map(|index| doors[index].1)
    }

    /// Where a waiting chain may go: (host, ingress node), by host.
    pub fn doors(&self, rank: usize) -> &[(u32, u16)] {
        &self.entries[self.waiting[rank].entry]
    }
}

#[derive(Default)]
struct Kinds<'a> {
    names: Vec<&'a [String]>,
    index: HashMap<&'a [String], u32>,
}

impl<'a> Kinds<'a> {
    fn index(&mut self, nfs: &'a [String]) -> u32 {
        *self.index.entry(nfs).or_insert_with(|| {
            self.names.push(nfs);
            self.names.len() as u32 - 1
        })
    }
}

#[derive(Default)]
struct Groups<'a>(HashMap<&'a str, u32>);

impl<'a> Groups<'a> {
    fn apart(&mut self, asked: &'a AntiAffinity) -> Apart {
        let next = self.0.len() as u32;
        Apart::new(*self.0.entry(&asked.group).or_insert(next), asked.scope)
    }
}

/// Index of a node that `check` has found on its host.
fn node_of(host: &FleetHost, id: &str) -> u16 {
    host.nodes.iter().position(|node| node.id == id).unwrap_or_default() as u16
}
