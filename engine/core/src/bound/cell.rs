//! The pricing problem of a node within a box of its two sums: which NFs earn most there?
//!
//! In the box M in [m0, m1], R in [r0, r1] every option earns at most what it does at (m0, r0). That M and R of the
//! chosen ones lie in the box, and that they have cores, is enforced by three multipliers; what is left falls apart
//! into pieces of chains, each of which takes its best option.

use super::class::{Choice, Class};

const LONGEST_STEP: f64 = 0.3; // of a multiplier, relative to its scale
const SHORTEST_STEP: f64 = 1e-4;
const FAINT: f64 = -7.0; // options of less than e^-7 of the best's weight do not count

/// One multiplier and the length of its next step; a step grows while its direction stays and halves when it turns.
#[derive(Debug, Clone, Copy)]
struct Multiplier {
    at: f64,
    step: f64,
    rose: bool,
}

impl Multiplier {
    /// Walk against a slope.
    fn walk(&mut self, slope: f64, least: f64, scale: f64) {
        if slope == 0.0 {
            return;
        }
        let rises = slope < 0.0;
        self.step = if rises == self.rose {
            (1.3 * self.step).min(LONGEST_STEP * scale)
        } else {
            (0.5 * self.step).max(SHORTEST_STEP * scale)
        };
        self.rose = rises;
        self.at = (self.at + if rises { self.step } else { -self.step }).max(least);
    }
}

/// A box of (`M_k`, `R_k`), its multipliers, and its bound at the multipliers of the day.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub all: (f64, f64),
    pub heads: (f64, f64),
    /// No set of NFs in the box earns more.
    pub value: f64,
    /// What the corner (m0, r0) may flatter the box's sets by: by M, and by R.
    pub loss: (f64, f64),
    weight: Multiplier,
    head: Multiplier,
    core: Multiplier,
    picked: Vec<u32>,    // options that attain `value`
    priced_at: [f64; 3], // the multipliers of `value`
    scale: f64,
}

impl Cell {
    /// The box of everything; `scale`: about what a unit of weight costs on such a node.
    pub(super) fn whole(class: &Class, scale: f64) -> Self {
        let multiplier = |at: f64, scale: f64| Multiplier { at, step: 0.1 * scale, rose: true };
        Self {
            all: (class.background, class.heaviest),
            heads: (class.background, class.heaviest),
            value: f64::INFINITY,
            loss: (f64::INFINITY, 0.0),
            weight: multiplier(scale, scale),
            head: multiplier(0.0, scale),
            core: multiplier(0.0, 0.05 * scale),
            picked: Vec::new(),
            priced_at: [0.0; 3],
            scale,
        }
    }

    /// Two halves across the side that flatters more.
    pub(super) fn split(&self) -> (Self, Self) {
        let (mut low, mut high) = (self.clone(), self.clone());
        if self.loss.0 >= self.loss.1 {
            let middle = f64::midpoint(self.all.0, self.all.1);
            (low.all.1, high.all.0) = (middle, middle);
        } else {
            let middle = f64::midpoint(self.heads.0, self.heads.1);
            (low.heads.1, high.heads.0) = (middle, middle);
        }
        (low, high)
    }

    /// R is part of M: a box where R exceeds M everywhere is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.heads.0 > self.all.1
    }

    /// Compute `value` at the present multipliers, then walk them one step.
    pub(super) fn price(&mut self, class: &Class, near: f64) {
        let (m0, r0) = (self.all.0, self.heads.0);
        let (weight, head, core) = (self.weight.at, self.head.at, self.core.at);
        self.priced_at = [weight, head, core];
        self.picked.clear();
        let mut value = 0.0;
        let mut next = 0;
        for menu in &class.menus {
            let end = menu.end as usize;
            let (mut best, mut which) = (if menu.must { f64::NEG_INFINITY } else { 0.0 }, u32::MAX);
            for (index, choice) in (next as u32..).zip(&class.choices[next..end]) {
                let earned = self.earned(choice);
                if earned > best {
                    (best, which) = (earned, index);
                }
            }
            if which != u32::MAX {
                self.picked.push(which);
            }
            value += best;
            next = end;
        }
        let (mut all, mut heads, mut cores) = (class.background, class.background, 0.0);
        self.loss = (0.0, 0.0);
        for &picked in &self.picked {
            let choice = &class.choices[picked as usize];
            all += choice.weight;
            heads += choice.heads;
            cores += choice.cores;
            self.loss.0 += choice.m;
            self.loss.1 += choice.r;
        }
        self.loss.0 *= self.all.1 - m0;
        self.loss.1 *= self.heads.1 - r0;
        let edge = |multiplier: f64, (low, high): (f64, f64)| if multiplier >= 0.0 { high } else { low };
        let (all_edge, heads_edge) = (edge(weight, self.all), edge(head, self.heads));
        let foreign = class.background * (weight + head);
        self.value = value + weight * all_edge + head * heads_edge - foreign + core * class.free;
        if self.value < near {
            return;
        }
        // At zero the slope jumps; where zero lies between its two sides the multiplier stays.
        let slope = |at: f64, (low, high): (f64, f64), used: f64| {
            if at > 0.0 || (at == 0.0 && used > high) {
                high - used
            } else if at < 0.0 || used < low {
                low - used
            } else {
                0.0
            }
        };
        self.weight.walk(slope(weight, self.all, all), f64::NEG_INFINITY, self.scale);
        self.head.walk(slope(head, self.heads, heads), f64::NEG_INFINITY, self.scale);
        self.core.walk(class.free - cores, 0.0, 0.05 * self.scale);
    }

    /// Add this box's set, so many times, to its class's usage; options nearly as good as the best, by `heat`, share.
    pub(super) fn use_set(&self, times: f64, heat: f64, class: &mut Class, odds: &mut Vec<f64>) {
        let Class { menus, choices, usage, .. } = class;
        let mut next = 0;
        for menu in menus {
            let range = next..menu.end as usize;
            next = range.end;
            odds.clear();
            odds.extend(choices[range.clone()].iter().map(|choice| self.earned(choice)));
            let none = if menu.must { f64::NEG_INFINITY } else { 0.0 };
            let best = odds.iter().copied().fold(none, f64::max);
            let mut total = ((none - best) / heat).exp();
            for odd in odds.iter_mut() {
                let colder = (*odd - best) / heat;
                *odd = if colder > FAINT { colder.exp() } else { 0.0 };
                total += *odd;
            }
            for (odd, used) in odds.iter().zip(&mut usage[range]).filter(|(odd, _)| **odd > 0.0) {
                let times = times * odd / total;
                used.times += times;
                used.all += times * self.all.0;
                used.heads += times * self.heads.0;
            }
        }
    }

    /// What an option earns in the box, at its multipliers.
    #[inline]
    fn earned(&self, choice: &Choice) -> f64 {
        let [weight, head, core] = self.priced_at;
        choice.a
            - choice.m * self.all.0
            - choice.r * self.heads.0
            - weight * choice.weight
            - head * choice.heads
            - core * choice.cores
    }
}
