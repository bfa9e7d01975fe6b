//! What stands on one host, and what the model says of it.

use crate::fleet::apart;
use crate::fleet::demand::Newcomer;
use crate::fleet::demand::{Demand, Seated};
use crate::fleet::insert::{self, Insertion};
use crate::fleet::roster::Roster;
use crate::fleet::seats;
use crate::fleet::view::View;
use crate::instance::{Nf, Pattern, moved};

/// What speaks for a host, best first. A core of one's own is worth more than a prediction for a core that is shared,
/// which cannot be relied on: an exclusive core that is free goes before a slot beside somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// The model holds.
    Trusted,
    /// Exclusive cores; nothing is predicted there.
    Unpredicted,
    /// Exclusive cores; the chain has an unknown NF type: nothing would be predicted there any more.
    Spoilt,
    /// Shared cores: a prediction that is not compared with those of trusted hosts.
    Untrusted,
    /// Shared cores; nothing is predicted there.
    SharedUnpredicted,
    /// Shared cores; nothing would be predicted there any more.
    SharedSpoilt,
}

impl Tier {
    /// Whether hosts of this tier are distinguished by what the chain gains there.
    pub fn predicts(self) -> bool {
        matches!(self, Self::Trusted | Self::Untrusted)
    }
}

/// How well a host suits a chain, best first: seats that are kept for last come behind all others of their kind, of
/// whatever host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suit {
    /// NFs share its cores.
    pub shared: bool,
    /// The ordinary seats do not hold the chain.
    pub needs_spare: bool,
    /// What speaks for the host.
    pub tier: Tier,
}

impl Suit {
    /// None is better.
    pub const BEST: Self = Self { shared: false, needs_spare: false, tier: Tier::Trusted };
}

/// One host's content.
#[derive(Debug, Clone)]
pub struct State {
    /// Running chains in the order of the request, then newcomers by rank.
    pub seated: Vec<Seated>,
    /// Seats nobody holds, those of last choice included.
    pub free: u64,
    /// Free ordinary seats and grants of each node.
    pub room: Vec<u32>,
    /// None where nothing is predicted.
    pub view: Option<View>,
}

impl State {
    /// The content of a host; None if the seats do not allow it, or a newcomer stands with whom it must not.
    pub fn new(roster: &Roster, host: usize, mut seated: Vec<Seated>) -> Option<Self> {
        if apart::broken(&seated) {
            return None;
        }
        let place = &roster.hosts[host];
        seated[place.running.len()..].sort_by_key(|chain| chain.rank);
        let room = seats::room(place, &seated, None)?;
        let newcomers: u64 = seated.iter().filter(|c| c.rank.is_some()).map(|c| u64::from(c.demand.length)).sum();
        let free = place.open_seats().checked_sub(newcomers)?;
        let nfs: Option<Vec<(&Seated, &[Nf])>> =
            seated.iter().map(|chain| Some((chain, roster.nfs(host, chain.demand.kind)?))).collect();
        let view = nfs.filter(|_| place.model.is_some()).map(|nfs| View::new(&place.background, &nfs));
        Some(Self { seated, free, room, view })
    }

    /// The host as it was asked, with these newcomers found a place one by one; None if it cannot hold them.
    pub fn rebuilt(roster: &Roster, host: usize, ranks: &[u32], evaluations: &mut u64) -> Option<Self> {
        let mut ranks = ranks.to_vec();
        ranks.sort_unstable();
        let mut state = Self::new(roster, host, roster.hosts[host].running.clone())?;
        for rank in ranks {
            let found = state.insertion(roster, host, rank, f64::NEG_INFINITY, evaluations)?;
            state = state.with(roster, host, rank, found.pattern)?;
        }
        Some(state)
    }

    /// True where a chain must not share a node with others of its group.
    pub fn keeps_nodes(&self) -> bool {
        self.seated.iter().any(|chain| chain.demand.apart.is_some_and(|apart| apart.by_node))
    }

    /// What its chains would score at most if each were alone on the host.
    pub fn solo_bound(&self, roster: &Roster, host: usize) -> f64 {
        let alone = |chain: &Seated| {
            let Demand { kind, value, rate, .. } = chain.demand;
            let nfs = roster.nfs(host, kind)?;
            Some(Newcomer { nfs, value, rate, ingress: chain.ingress }.solo_bound())
        };
        self.seated.iter().filter_map(alone).sum()
    }

    /// Ranks of the newcomers.
    pub fn newcomers(&self) -> impl Iterator<Item = u32> + '_ {
        self.seated.iter().filter_map(|chain| chain.rank)
    }

    /// This and one more; None if it does not fit so.
    pub fn with(&self, roster: &Roster, host: usize, rank: u32, pattern: Pattern) -> Option<Self> {
        let ingress = roster.ingress(rank as usize, host)?;
        let mut seated = self.seated.clone();
        seated.push(Seated { rank: Some(rank), demand: roster.waiting[rank as usize].demand, ingress, pattern });
        Self::new(roster, host, seated)
    }

    /// This without one; None if the others would have to give way to other grants.
    pub fn without(&self, roster: &Roster, host: usize, rank: u32) -> Option<Self> {
        let seated = self.seated.iter().filter(|chain| chain.rank != Some(rank)).cloned().collect();
        Self::new(roster, host, seated)
    }

    /// NFs of running chains that are not where they run.
    pub fn moves(&self, roster: &Roster, host: usize) -> u32 {
        let pairs = roster.hosts[host].running.iter().zip(&self.seated);
        pairs.map(|(before, now)| moved(&before.pattern, &now.pattern)).sum()
    }

    /// Sum of value x counted throughput; 0 where nothing is predicted.
    pub fn score(&self) -> f64 {
        self.view.as_ref().map_or(0.0, |view| view.score)
    }

    /// How well the host suits a chain that joins.
    pub fn suit(&self, roster: &Roster, host: usize, demand: &Demand) -> Suit {
        let needs_spare = self.free < roster.hosts[host].spare_seats() + u64::from(demand.length);
        Suit { shared: !roster.hosts[host].asked.trusted, needs_spare, tier: self.tier(roster, host, demand) }
    }

    /// Spare seats that its newcomers have been granted.
    pub fn granted(&self, roster: &Roster, host: usize) -> u64 {
        roster.hosts[host].spare_seats().saturating_sub(self.free)
    }

    /// What speaks for a host for a chain.
    pub fn tier(&self, roster: &Roster, host: usize, demand: &Demand) -> Tier {
        let known = roster.nfs(host, demand.kind).is_some();
        match (roster.hosts[host].asked.trusted, &self.view) {
            (true, Some(_)) if known => Tier::Trusted,
            (true, None) => Tier::Unpredicted,
            (true, _) => Tier::Spoilt,
            (false, Some(_)) if known => Tier::Untrusted,
            (false, None) => Tier::SharedUnpredicted,
            (false, _) => Tier::SharedSpoilt,
        }
    }

    /// The chain at this host's door; None where nothing would be predicted.
    pub fn newcomer<'a>(&self, roster: &'a Roster, host: usize, rank: u32) -> Option<(&View, Newcomer<'a>)> {
        let demand = roster.waiting[rank as usize].demand;
        let ingress = roster.ingress(rank as usize, host)?;
        let nfs = roster.nfs(host, demand.kind)?;
        Some((self.view.as_ref()?, Newcomer { nfs, value: demand.value, rate: demand.rate, ingress }))
    }

    /// The best nodes for a newcomer that gain more than `floor`; by the fill rule, with gain 0, where nothing would be
    /// predicted. None if it cannot come, or none gains so much. A chain that is kept apart by node stands on one node
    /// where it fits on one, whatever it gains on several: each node that it leaves is one for another of its group.
    pub fn insertion(
        &self,
        roster: &Roster,
        host: usize,
        rank: u32,
        floor: f64,
        evaluations: &mut u64,
    ) -> Option<Insertion> {
        let room = self.room_for(roster, host, rank)?;
        let Demand { length, apart, .. } = roster.waiting[rank as usize].demand;
        if !apart.is_some_and(|apart| apart.by_node) {
            return self.insertion_in(roster, host, rank, &room, floor, evaluations);
        }
        let mut best: Option<Insertion> = None;
        let whole: Vec<usize> = (0..room.len()).filter(|&node| room[node] >= length).collect();
        for &node in &whole {
            let mut one = vec![0; room.len()];
            one[node] = room[node];
            let least = best.as_ref().map_or(floor, |found| found.gain);
            best = self.insertion_in(roster, host, rank, &one, least, evaluations).or(best);
        }
        if whole.is_empty() { self.insertion_in(roster, host, rank, &room, floor, evaluations) } else { best }
    }

    /// Seats of each node that a chain which joins may have; None if they do not suffice, or if it must not come.
    pub fn room_for(&self, roster: &Roster, host: usize, rank: u32) -> Option<Vec<u32>> {
        let ingress = roster.ingress(rank as usize, host)?;
        let Demand { length, apart, .. } = roster.waiting[rank as usize].demand;
        if u64::from(length) > self.free || apart.is_some_and(|apart| !apart::admits(apart, &self.seated)) {
            return None;
        }
        let place = &roster.hosts[host];
        let mut room = if self.free >= place.spare_seats() + u64::from(length) {
            self.room.clone() // the ordinary seats suffice: nothing is granted
        } else {
            seats::room(place, &self.seated, Some((rank, length, ingress)))?
        };
        if let Some(apart) = apart {
            apart::keep_off(apart, &self.seated, &mut room);
        }
        (room.iter().map(|&seats| u64::from(seats)).sum::<u64>() >= u64::from(length)).then_some(room)
    }

    /// The same within given seats.
    fn insertion_in(
        &self,
        roster: &Roster,
        host: usize,
        rank: u32,
        room: &[u32],
        floor: f64,
        evaluations: &mut u64,
    ) -> Option<Insertion> {
        if let Some((view, newcomer)) = self.newcomer(roster, host, rank) {
            return insert::best(view, room, newcomer, floor, evaluations);
        }
        let ingress = roster.ingress(rank as usize, host)?;
        let pattern = seats::fill(room, ingress, roster.waiting[rank as usize].demand.length)?;
        (0.0 > floor).then_some(Insertion { pattern, gain: 0.0 })
    }
}
