//! A partial placement of the accepted chains, and the scores of it and of its possible continuations.

use crate::instance::Instance;
use crate::laws::octans::exact::options::Options;
use crate::laws::octans::exact::rows::Sums;

/// Placed chains and the sums they make.
#[derive(Debug, Clone)]
pub struct State<'a> {
    options: &'a Options,
    /// `M_k` and `R_k`, background included.
    pub sums: Vec<Sums>,
    /// No final `M_k` is less.
    pub floor: Vec<f64>,
    /// Free cores left.
    pub room: Vec<u32>,
    /// NFs that the placed chains have on each node.
    pub used: Vec<u32>,
    /// Option of each placed chain.
    pub chosen: Vec<Option<u32>>,
    /// NFs of placed chains that move.
    pub moves: u32,
}

impl<'a> State<'a> {
    /// Nobody is placed yet.
    pub fn new(instance: &Instance, options: &'a Options) -> Self {
        Self {
            options,
            sums: instance.background.iter().map(|&weight| [weight; 2]).collect(),
            floor: instance.background.clone(),
            room: instance.free.clone(),
            used: vec![0; instance.nodes()],
            chosen: vec![None; options.chains()],
            moves: 0,
        }
    }

    /// Place a chain.
    pub fn place(&mut self, chain: usize, option: u32) {
        for load in self.options.loads(option) {
            let node = load.node as usize;
            self.sums[node] = [self.sums[node][0] + load.sums[0], self.sums[node][1] + load.sums[1]];
            self.room[node] -= load.cores;
            self.used[node] += load.cores;
        }
        self.moves += self.options.choice(option).moves;
        self.chosen[chain] = Some(option);
    }

    /// Take a chain out. Leaves rounding in the sums; `sums` may be restored from a copy.
    pub fn unplace(&mut self, chain: usize) {
        let Some(option) = self.chosen[chain].take() else { return };
        for load in self.options.loads(option) {
            let node = load.node as usize;
            self.sums[node] = [self.sums[node][0] - load.sums[0], self.sums[node][1] - load.sums[1]];
            self.room[node] += load.cores;
            self.used[node] -= load.cores;
        }
        self.moves -= self.options.choice(option).moves;
    }

    /// True if the option's nodes have room for it.
    #[inline]
    pub fn fits(&self, option: u32) -> bool {
        self.options.loads(option).iter().all(|load| load.cores <= self.room[load.node as usize])
    }

    /// What the placed chains count together; `slopes` becomes what they lose per unit of weight added to a node.
    ///
    /// The least of linear functions is concave: no chain loses less than at the slope of the row that is least now.
    pub fn relaxed_score(&self, slopes: &mut [Sums]) -> f64 {
        slopes.fill([0.0; 2]);
        let mut score = 0.0;
        for &option in self.chosen.iter().flatten() {
            let rows = self.options.rows(option);
            let (mut least, mut at) = (f64::INFINITY, &rows[0]);
            for row in rows {
                let sums = &self.sums[row.node as usize];
                let all = sums[0].max(self.floor[row.node as usize]);
                let counted = row.whole - row.slope[0] * all - row.slope[1] * sums[1];
                if counted < least {
                    (least, at) = (counted, row);
                }
            }
            score += least;
            let slope = &mut slopes[at.node as usize];
            *slope = [slope[0] + at.slope[0], slope[1] + at.slope[1]];
        }
        for ((slope, floor), sums) in slopes.iter().zip(&self.floor).zip(&self.sums) {
            score += slope[0] * (floor - sums[0]).max(0.0);
        }
        score
    }

    /// What the placed chains count together.
    pub fn exact(&self) -> f64 {
        let mut score = 0.0;
        for &option in self.chosen.iter().flatten() {
            let mut least = f64::INFINITY;
            for row in self.options.rows(option) {
                let sums = &self.sums[row.node as usize];
                least = least.min(row.whole - row.slope[0] * sums[0] - row.slope[1] * sums[1]);
            }
            score += least;
        }
        score
    }

    /// At most what placing one more chain so adds: its own count among the present sums, less what it costs the others
    /// at their slopes.
    #[inline]
    pub fn gain(&self, option: u32, slopes: &[Sums]) -> f64 {
        let mut gain = f64::INFINITY;
        for row in self.options.rows(option) {
            let sums = &self.sums[row.node as usize];
            let all = (sums[0] + row.own[0]).max(self.floor[row.node as usize]);
            gain = gain.min(row.whole - row.slope[0] * all - row.slope[1] * (sums[1] + row.own[1]));
        }
        for load in self.options.loads(option) {
            let slope = &slopes[load.node as usize];
            gain -= slope[0] * load.sums[0] + slope[1] * load.sums[1];
        }
        gain
    }
}
