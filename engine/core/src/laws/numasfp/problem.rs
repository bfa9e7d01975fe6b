//! A host as NUMASFP sees it, and what is asked about it, out of JSON.

use crate::error::BadInput;
use crate::fields::{At, Object};
use crate::laws::numasfp::table::{Level, MAX_GBPS, Rule, Side, Table, cap};

/// Most chains of a host.
pub const MAX_CHAINS: usize = 64;
/// Most NFs of a chain.
pub const MAX_CHAIN_NFS: usize = 64;
/// Most nodes of a host.
pub const MAX_NODES: usize = 16;
/// Most intervals of a run.
pub const MAX_INTERVALS: usize = 100_000;
/// Most rates of a run: intervals times chains.
pub const MAX_RATES: usize = 2_000_000;
/// Most ways of a node, or % of its bandwidth: more than any need adds up to.
pub const MAX_OF_NODE: u32 = 10_000;
const MAX_CORES: u32 = 1_000_000;
/// The node that holds the NICs.
pub const LOCAL: &str = "local";

/// What a node has to give.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its name; the one called `local` holds the NICs.
    pub name: String,
    /// Which entries of the table hold there.
    pub side: Side,
    /// Cache ways.
    pub ways: u32,
    /// Memory bandwidth, %.
    pub mb_percent: u32,
    /// Cores, one an NF.
    pub cores: u32,
}

/// A chain and what it can be granted.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// How many cores it takes.
    pub nfs: u32,
    local: Vec<Level>,
    remote: Vec<Level>,
}

impl Chain {
    /// The levels on a kind of node, rising.
    pub fn levels(&self, side: Side) -> &[Level] {
        match side {
            Side::Local => &self.local,
            Side::Remote => &self.remote,
        }
    }

    /// The highest rate that the table knows of it.
    pub fn cap(&self) -> f64 {
        cap(&self.local).max(cap(&self.remote))
    }
}

/// A host: the local node comes first.
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// In the order of the input.
    pub chains: Vec<Chain>,
    /// The local one, then the others in the order of the input.
    pub nodes: Vec<Node>,
}

/// The node of each chain.
pub type Placement = Vec<usize>;

impl Host {
    /// The levels of a chain on a node.
    pub fn levels(&self, chain: usize, node: usize) -> &[Level] {
        self.chains[chain].levels(self.nodes[node].side)
    }

    /// Rates no higher than the table knows (`clamped` says whose were).
    pub fn clamp(&self, rates: &[f64]) -> Vec<f64> {
        self.chains.iter().zip(rates).map(|(chain, rate)| rate.min(chain.cap())).collect()
    }

    /// Chains that are offered more than the table knows.
    pub fn clamped(&self, rates: &[f64]) -> Vec<String> {
        let beyond = self.chains.iter().zip(rates).filter(|(chain, rate)| **rate > chain.cap());
        beyond.map(|(chain, _)| chain.name.clone()).collect()
    }

    /// Chains by falling rate; equal ones in the order of the input.
    pub fn by_falling_rate(&self, rates: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.chains.len()).collect();
        order.sort_by(|&one, &other| rates[other].total_cmp(&rates[one]));
        order
    }

    /// Cores that are free on each node beside the chains that are placed.
    pub fn free_cores(&self, placement: &[usize]) -> Vec<i64> {
        let mut free: Vec<i64> = self.nodes.iter().map(|node| i64::from(node.cores)).collect();
        for (chain, &node) in self.chains.iter().zip(placement) {
            free[node] -= i64::from(chain.nfs);
        }
        free
    }

    /// `table`, `chains` and `nodes` of an object.
    pub fn read(object: &Object, rule: Rule) -> Result<Self, BadInput> {
        let table = object.required("table", Table::read)?;
        let nodes = object.required("nodes", nodes)?;
        let chains: Vec<(String, Vec<String>)> = object.required("chains", |at| at.map(MAX_CHAINS, types))?;
        if chains.is_empty() {
            return Err(BadInput::new("chains", "is empty; name at least one chain"));
        }
        let chains = chains.into_iter().map(|(name, types)| chain(&table, rule, name, &types));
        let host = Self { chains: chains.collect::<Result<_, _>>()?, nodes };
        let needed: u64 = host.chains.iter().map(|chain| u64::from(chain.nfs)).sum();
        let there: u64 = host.nodes.iter().map(|node| u64::from(node.cores)).sum();
        if needed > there {
            let message =
                format!("need {needed} cores, one an NF; the nodes have {there}: remove a chain, or add cores");
            return Err(BadInput::new("chains", message));
        }
        Ok(host)
    }

    /// A node for every chain, by name.
    pub fn placement(&self, at: At) -> Result<Placement, BadInput> {
        let named = self.by_chain(at, |at| {
            let name = at.id()?;
            let found = self.nodes.iter().position(|node| node.name == name);
            found.ok_or_else(|| at.refuse(format!("'{name}' is no node of the host")))
        })?;
        if let Some(node) = self.free_cores(&named).iter().position(|&free| free < 0) {
            let name = &self.nodes[node].name;
            return Err(at.refuse(format!("puts more NFs on node {name} than it has cores")));
        }
        Ok(named)
    }

    /// The rate of every chain, Gbps.
    pub fn rates(&self, at: At) -> Result<Vec<f64>, BadInput> {
        self.by_chain(at, |at| at.number(0.0..=MAX_GBPS))
    }

    /// A value for each chain, none of them missing and none too many.
    pub fn by_chain<T>(&self, at: At, read: impl Fn(At) -> Result<T, BadInput>) -> Result<Vec<T>, BadInput> {
        let mut found: Vec<(String, T)> = at.map(MAX_CHAINS, read)?;
        if let Some((name, _)) = found.iter().find(|(name, _)| self.chains.iter().all(|chain| chain.name != *name)) {
            return Err(at.refuse(format!("names '{name}', which is not among the chains")));
        }
        let mut values = Vec::with_capacity(self.chains.len());
        for chain in &self.chains {
            let index = found.iter().position(|(name, _)| *name == chain.name);
            let index = index.ok_or_else(|| at.refuse(format!("has nothing for chain '{}'", chain.name)))?;
            values.push(found.swap_remove(index).1);
        }
        Ok(values)
    }
}

fn types(at: At) -> Result<Vec<String>, BadInput> {
    at.list(1..=MAX_CHAIN_NFS, |at| at.id())
}

fn chain(table: &Table, rule: Rule, name: String, types: &[String]) -> Result<Chain, BadInput> {
    let at = |index: usize| format!("chains.{name}.{index}");
    let local = table.levels(types, Side::Local, rule, at)?;
    let remote = table.levels(types, Side::Remote, rule, at)?;
    if local.is_empty() && remote.is_empty() {
        return Err(BadInput::new(format!("chains.{name}"), "has no level that all its NFs reach; profile them again"));
    }
    Ok(Chain { nfs: types.len() as u32, name, local, remote })
}

fn nodes(at: At) -> Result<Vec<Node>, BadInput> {
    let named: Vec<(String, [u32; 3])> = at.map(MAX_NODES, |at| {
        let object = at.object(&["ways", "mb_percent", "cores"])?;
        Ok([
            object.required("ways", |at| at.whole(MAX_OF_NODE))?,
            object.required("mb_percent", |at| at.whole(MAX_OF_NODE))?,
            object.required("cores", |at| at.whole(MAX_CORES))?,
        ])
    })?;
    let node = |(name, [ways, mb_percent, cores]): (String, [u32; 3])| {
        let side = if name == LOCAL { Side::Local } else { Side::Remote };
        Node { name, side, ways, mb_percent, cores }
    };
    let mut nodes: Vec<Node> = named.into_iter().map(node).collect();
    let Some(local) = nodes.iter().position(|node| node.side == Side::Local) else {
        return Err(at.refuse("has no node 'local', the one that holds the NICs"));
    };
    nodes[..=local].rotate_right(1);
    Ok(nodes)
}

/// A share of what passes, lost by a chain in the interval in which it moves.
pub fn loss(at: At) -> Result<f64, BadInput> {
    at.number(0.0..=1.0)
}
