//! A cache whose ways are shared: who hits how often (section 1, equation 1).
//!
//! Ways with the same users are one group, so that one eviction rate m stands for them. The map m -> F(m) of equation (1)
//! is monotone and concave: Newton's steps from above its largest fixed point go down to it and never past it. A third of
//! the file are tests of that map from within.

use crate::linear::solve_linear;
use crate::nf::StreamKind;
use crate::sets::{POINTS, quantile};
pub use crate::stream::CacheStream;
use crate::stream::{bits, miss, slope};

/// A line that is evicted by less than this share of all accesses is never evicted.
const NEVER: f64 = 1e-18;
const TOLERANCE: f64 = 1e-9;
const MOST_STEPS: usize = 100;

/// A cache and the streams that share it. `solve` after any change of lines or rates.
#[derive(Debug, Clone)]
pub struct SharedCache {
    /// Who uses it.
    pub streams: Vec<CacheStream>,
    sets: f64,
    spread: f64,
    /// How many ways each group has.
    groups: Vec<f64>,
    /// By way: its group; of no account where no stream uses it.
    group_of: Vec<usize>,
    /// The ways that any stream may fill.
    used: u32,
    /// By stream: the groups it may fill, as a mask.
    uses: Vec<u32>,
    /// By stream: the least group of those that it competes in, be it by others' ways. Streams of other regions are
    /// nothing to it.
    regions: Vec<usize>,
    loads: Vec<Load>,
    hits: Vec<f64>,
}

/// Sets that are loaded alike.
#[derive(Debug, Clone, Default)]
struct Load {
    /// By region: lines of such a set over those of the mean one.
    z: Vec<f64>,
    /// By group: evictions a second of each line there (m).
    evictions: Vec<f64>,
    /// By group: the same if nothing hit.
    top: Vec<f64>,
}

impl SharedCache {
    /// `sets`: lines of a way; `spread`: how unevenly lines fall on them (d; 0: evenly).
    pub fn new(sets: f64, spread: f64, streams: Vec<CacheStream>) -> Self {
        let mut signatures: Vec<Vec<bool>> = Vec::new();
        let mut groups: Vec<f64> = Vec::new();
        let mut uses = vec![0; streams.len()];
        let mut group_of = vec![0; u32::BITS as usize];
        for way in 0..u32::BITS {
            let users: Vec<bool> = streams.iter().map(|stream| stream.ways >> way & 1 == 1).collect();
            if !users.contains(&true) {
                continue;
            }
            let known = signatures.iter().position(|signature| *signature == users);
            let group = known.unwrap_or(groups.len());
            if known.is_none() {
                uses.iter_mut().zip(&users).filter(|(_, uses)| **uses).for_each(|(mask, _)| *mask |= 1 << group);
                signatures.push(users);
                groups.push(0.0);
            }
            groups[group] += 1.0;
            group_of[way as usize] = group;
        }
        let hits = vec![1.0; streams.len()];
        let regions = regions(&uses);
        let used = streams.iter().fold(0, |all, stream| all | stream.ways);
        Self {
            streams,
            sets,
            spread,
            groups,
            group_of,
            used,
            uses,
            regions,
            loads: vec![Load::default(); POINTS.len()],
            hits,
        }
    }

    /// The steady state for the present lines and rates. A second call starts from where the last one ended.
    pub fn solve(&mut self) {
        self.load_sets();
        let mut loads = std::mem::take(&mut self.loads);
        self.hits.fill(1.0);
        for (load, (_, weight)) in loads.iter_mut().zip(POINTS) {
            self.settle(load);
            for (index, hit) in self.hits.iter_mut().enumerate() {
                *hit -= weight * miss(self.streams[index], self.uses[index], &self.groups, &load.evictions);
            }
        }
        self.loads = loads;
    }

    /// The share of the accesses of a stream that hit (h).
    pub fn hit(&self, stream: usize) -> f64 {
        self.hits[stream].clamp(0.0, 1.0)
    }

    /// The same of two streams together.
    pub fn hit_of_both(&self, one: usize, other: usize) -> f64 {
        let rates = [one, other].map(|stream| self.streams[stream].rate);
        let sum = rates[0] + rates[1];
        if sum > 0.0 { (rates[0] * self.hit(one) + rates[1] * self.hit(other)) / sum } else { self.hit(one) }
    }

    /// The share of the lines of a stream that are still there when `share` of the time between two accesses to a line
    /// has passed since it was filled.
    pub fn survival(&self, stream: usize, share: f64) -> f64 {
        let CacheStream { lines, rate, ways, .. } = self.streams[stream];
        if rate <= 0.0 {
            return 1.0;
        }
        let later = CacheStream { lines: lines * share, rate, ways, kind: StreamKind::Periodic };
        let stays = |load: &Load| 1.0 - miss(later, self.uses[stream], &self.groups, &load.evictions);
        self.loads.iter().zip(POINTS).map(|(load, (_, weight))| weight * stays(load)).sum::<f64>().clamp(0.0, 1.0)
    }

    /// The mean of `of`, which tells by m (how often a line is evicted a second), over all sets and the ways of a mask.
    pub fn over_ways(&self, ways: u32, of: impl Fn(f64) -> f64) -> f64 {
        let mut counts = vec![0.0; self.groups.len()];
        bits(ways & self.used).for_each(|way| counts[self.group_of[way]] += 1.0);
        let quiet = f64::from((ways & !self.used).count_ones());
        let in_groups = |load: &Load| {
            let groups = counts.iter().zip(&load.evictions).filter(|(count, _)| **count > 0.0);
            groups.map(|(count, m)| count * of(*m)).sum::<f64>()
        };
        let used: f64 = self.loads.iter().zip(POINTS).map(|(load, (_, weight))| weight * in_groups(load)).sum();
        (used + quiet * of(0.0)) / f64::from(ways.count_ones())
    }

    /// Lines that a stream holds in each way, from way 0 on: those it fills there in times as long as they stay.
    pub fn occupancy(&self, stream: usize) -> Vec<f64> {
        let CacheStream { rate, ways, .. } = self.streams[stream];
        let mut held = vec![0.0; self.groups.len()];
        for (load, (_, weight)) in self.loads.iter().zip(POINTS).filter(|_| rate > 0.0) {
            self.hold(stream, load, weight, &mut held);
        }
        let mut by_way = vec![0.0; (u32::BITS - ways.leading_zeros()) as usize];
        for way in bits(ways) {
            by_way[way] = held[self.group_of[way]].min(self.sets);
        }
        by_way
    }

    /// Adds the lines that a stream holds in a way of each group, in sets of one load. Ways from which nothing is ever
    /// evicted end up with all of them.
    fn hold(&self, stream: usize, load: &Load, weight: f64, held: &mut [f64]) {
        let (now, uses) = (self.streams[stream], self.uses[stream]);
        let quiet: f64 = bits(uses).filter(|&group| load.evictions[group] <= 0.0).map(|group| self.groups[group]).sum();
        let filled = now.rate * miss(now, uses, &self.groups, &load.evictions) / f64::from(now.ways.count_ones());
        for group in bits(uses) {
            held[group] += weight
                * match (quiet > 0.0, load.evictions[group]) {
                    (false, m) => filled / m,
                    (true, m) if m > 0.0 => 0.0,
                    (true, _) => now.lines / quiet,
                };
        }
    }

    /// How lines lie over sets, by region; what never comes again has none of its own, and comes to all sets alike.
    fn load_sets(&mut self) {
        let mut lines = vec![0.0; self.groups.len()];
        let again = |stream: &CacheStream| stream.rate > 0.0 && stream.kind != StreamKind::Passing;
        for (stream, &region) in self.streams.iter().zip(&self.regions).filter(|(stream, _)| again(stream)) {
            lines[region] += stream.lines;
        }
        for (load, (x, _)) in self.loads.iter_mut().zip(POINTS) {
            load.z.clear();
            load.z.extend(lines.iter().map(|lines| quantile(x, self.spread, lines / self.sets)));
        }
    }

    /// The largest fixed point of equation (1) in sets of one load.
    fn settle(&self, load: &mut Load) {
        let top = self.fillings(&load.z, &[]).0;
        let floor: Vec<f64> = top.iter().map(|most| (most * NEVER).max(f64::MIN_POSITIVE)).collect();
        let mut m = self.start(load, &top).unwrap_or_else(|| top.clone());
        for _ in 0..MOST_STEPS {
            m.iter_mut().zip(&floor).for_each(|(m, floor)| *m = m.max(*floor));
            let next = self.newton(&load.z, &m, &top);
            let settled = m
                .iter()
                .zip(&next)
                .zip(&floor)
                .all(|((m, next), floor)| (m - next).abs() <= TOLERANCE * m || (m <= floor && next <= floor));
            m = next;
            if settled {
                break;
            }
        }
        m.iter_mut().zip(&top).for_each(|(m, top)| *m = if *m <= 10.0 * NEVER * top { 0.0 } else { *m });
        load.evictions = m;
        load.top = top;
    }

    /// Near the last solution, but above the present one: where F(m) <= m, by concavity.
    fn start(&self, load: &Load, top: &[f64]) -> Option<Vec<f64>> {
        if load.evictions.len() != top.len() {
            return None;
        }
        let before = load.evictions.iter().zip(&load.top);
        let near = before
            .zip(top)
            .map(|((m, was), top)| if *was > 0.0 { (1.02 * m / was).clamp(1e-6, 1.0) * top } else { *top });
        let near: Vec<f64> = near.collect();
        let positive = near.iter().all(|m| *m > 0.0);
        let above = positive && self.fillings(&load.z, &near).0.iter().zip(&near).all(|(filled, m)| filled <= m);
        above.then_some(near)
    }

    /// One step of Newton's method for m = F(m); a plain one where that leads nowhere.
    fn newton(&self, z: &[f64], m: &[f64], top: &[f64]) -> Vec<f64> {
        let count = m.len();
        let (filled, slopes) = self.fillings(z, m);
        let mut matrix: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
        (0..count).for_each(|group| matrix[group * count + group] += 1.0);
        let mut step: Vec<f64> = filled.iter().zip(m).map(|(filled, m)| filled - m).collect();
        let solved = solve_linear(&mut matrix, &mut step);
        let next: Vec<f64> = m.iter().zip(&step).map(|(m, step)| m + step).collect();
        let sound = solved && next.iter().zip(top).all(|(next, top)| *next > -1e-3 * top && *next <= *top * 1.000_001);
        if sound { next.into_iter().map(|m| m.max(0.0)).collect() } else { filled }
    }

    /// F(m) by group and, row by row, its derivatives; with no `m` given: what it is without hits.
    fn fillings(&self, z: &[f64], m: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let count = self.groups.len();
        let (mut filled, mut slopes) = (vec![0.0; count], vec![0.0; count * m.len()]);
        for ((stream, &uses), &region) in self.streams.iter().zip(&self.uses).zip(&self.regions) {
            if stream.rate <= 0.0 {
                continue;
            }
            let width = f64::from(stream.ways.count_ones());
            let z = if stream.kind == StreamKind::Passing { 1.0 } else { z[region] };
            let flow = z * stream.rate / (width * self.sets);
            let missed = if m.is_empty() { 1.0 } else { miss(*stream, uses, &self.groups, m) };
            for group in bits(uses) {
                filled[group] += flow * missed;
            }
            if m.is_empty() || stream.kind == StreamKind::Passing {
                continue;
            }
            for by in bits(uses) {
                let slope = flow * slope(*stream, self.groups[by] / width, m[by], missed);
                bits(uses).for_each(|group| slopes[group * count + by] += slope);
            }
        }
        (filled, slopes)
    }
}

/// Of each stream, by the groups that each uses: the least group of those that are joined by common users.
fn regions(uses: &[u32]) -> Vec<usize> {
    let mut joined = uses.to_vec();
    for &mask in uses {
        let whole = joined.iter().filter(|other| **other & mask != 0).fold(mask, |whole, other| whole | other);
        joined.iter_mut().filter(|other| **other & mask != 0).for_each(|other| *other |= whole);
    }
    joined.iter().map(|mask| mask.trailing_zeros() as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(kind: StreamKind, lines: f64, rate: f64, ways: u32) -> CacheStream {
        CacheStream { lines, rate, ways, kind }
    }

    fn hits(sets: f64, spread: f64, streams: &[CacheStream]) -> Vec<f64> {
        let mut cache = SharedCache::new(sets, spread, streams.to_vec());
        cache.solve();
        (0..streams.len()).map(|index| cache.hit(index)).collect()
    }

    fn assert_close(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
    }

    /// A ring of 1370 lines in 1000: per line q = r / 1370, and (1) says m = r (1 - h) / 1000. So (3) is
    /// h = exp(-m / q) = exp(-1.37 (1 - h)), whose solution below 1 is .507: exp(-1.37 x .493) = .509.
    #[test]
    fn a_ring_just_larger_than_its_ways_keeps_half_of_its_hits() {
        let h = hits(500.0, 0.0, &[stream(StreamKind::Periodic, 1370.0, 1e6, 0b11)])[0];
        assert_close(h, (-1.37 * (1.0 - h)).exp());
        assert!((0.50..0.52).contains(&h), "{h}");
    }

    /// Random accesses to 4000 equal lines with room for 1000: a quarter of them hits.
    #[test]
    fn of_equal_lines_as_many_hit_as_there_is_room_for() {
        assert_close(hits(500.0, 0.0, &[stream(StreamKind::Random, 4000.0, 1e6, 0b11)])[0], 0.25);
    }

    #[test]
    fn what_fits_hits_always() {
        let streams = [stream(StreamKind::Random, 400.0, 1e6, 0b11), stream(StreamKind::Periodic, 500.0, 1.0, 0b11)];
        assert_eq!(hits(500.0, 0.0, &streams), [1.0, 1.0]);
    }

    /// However uneven sets are, a scan of 1e6 lines a second through 1000 lines evicts each 1000 times a second: of lines
    /// that came once, e^-1 are there after 1 ms.
    #[test]
    fn a_scan_comes_to_all_sets_alike() {
        let mut cache = SharedCache::new(500.0, 1.0, vec![stream(StreamKind::Passing, 1.0, 1e6, 0b11)]);
        cache.solve();
        assert_close(cache.over_ways(0b11, |m| (-m * 1e-3).exp()), (-1.0_f64).exp());
    }

    /// What never comes again hits nothing and pushes the rest out. Random: 1/m stays, m = (1e6 + 1e6 (1 - h)) / 1000 and
    /// q = 1e6 / 1000 = 1e3, so h = 1e3 / (1e3 + 1e3 (2 - h)): h (3 - h) = 1, h = (3 - 5^.5) / 2 = .382.
    #[test]
    fn a_scan_takes_lines_from_those_who_come_again() {
        let streams = [stream(StreamKind::Random, 1000.0, 1e6, 0b11), stream(StreamKind::Passing, 1.0, 1e6, 0b11)];
        let found = hits(500.0, 0.0, &streams);
        assert_close(found[0], (3.0 - 5.0_f64.sqrt()) / 2.0);
        assert_close(found[1], 0.0);
    }

    /// In ways of its own the scan takes nothing.
    #[test]
    fn a_mask_keeps_a_scan_away() {
        let streams = [stream(StreamKind::Random, 400.0, 1e6, 0b01), stream(StreamKind::Passing, 1.0, 1e9, 0b10)];
        assert_close(hits(500.0, 0.0, &streams)[0], 1.0);
    }

    /// One way is shared with a scan, one is not: what is filled into the one of its own stays, so all 400 lines end there.
    #[test]
    fn lines_gather_in_the_way_that_nobody_else_fills() {
        let streams = [stream(StreamKind::Random, 400.0, 1e6, 0b11), stream(StreamKind::Passing, 1.0, 1e9, 0b10)];
        assert_close(hits(500.0, 0.0, &streams)[0], 1.0);
    }

    /// Where the lines lie unevenly, a full cache has sets with too many.
    #[test]
    fn uneven_sets_cost_hits_before_the_cache_is_full() {
        let full = [stream(StreamKind::Random, 950.0, 1e6, 0b11)];
        assert_close(hits(500.0, 0.0, &full)[0], 1.0);
        let uneven = hits(500.0, 1.0, &full)[0];
        assert!((0.5..0.99).contains(&uneven), "{uneven}");
    }

    /// What a stream without a way in common with a ring does is nothing to it, be it ever so large.
    #[test]
    fn others_ways_are_nothing_to_a_ring() {
        let ring = stream(StreamKind::Periodic, 900.0, 1e6, 0b0011);
        let alone = hits(500.0, 0.5, &[ring])[0];
        let beside = hits(500.0, 0.5, &[ring, stream(StreamKind::Random, 1e6, 1e9, 0b1100)])[0];
        assert_close(beside, alone);
    }

    /// What all hold together is the room there is: 2 ways of 500 lines.
    #[test]
    fn lines_held_sum_to_the_room() {
        let streams = [
            stream(StreamKind::Random, 4000.0, 1e6, 0b11),
            stream(StreamKind::Periodic, 2000.0, 3e6, 0b11),
            stream(StreamKind::Passing, 1.0, 2e6, 0b11),
        ];
        let mut cache = SharedCache::new(500.0, 0.0, streams.to_vec());
        cache.solve();
        let held = |way: usize| (0..3).map(|index| cache.occupancy(index)[way]).sum::<f64>();
        assert!((held(0) - 500.0).abs() < 1e-3 && (held(1) - 500.0).abs() < 1e-3);
    }

    /// Every q and every m doubles: nothing else happens.
    #[test]
    fn only_ratios_of_rates_count() {
        let streams = |factor: f64| {
            [
                stream(StreamKind::Random, 4000.0, 1e6 * factor, 0b011),
                stream(StreamKind::Periodic, 700.0, 3e6 * factor, 0b110),
            ]
        };
        let (slow, fast) = (hits(500.0, 1.0, &streams(1.0)), hits(500.0, 1.0, &streams(2.0)));
        slow.iter().zip(fast).for_each(|(slow, fast)| assert_close(*slow, fast));
    }

    /// A second solution from the first one's end is the one from scratch.
    #[test]
    fn a_warm_start_ends_at_the_same_point() {
        let streams = [
            stream(StreamKind::Random, 4000.0, 1e6, 0b011),
            stream(StreamKind::Periodic, 700.0, 3e6, 0b110),
            stream(StreamKind::Random, 200.0, 2e5, 0b111),
        ];
        let mut cache = SharedCache::new(500.0, 1.0, streams.to_vec());
        cache.solve();
        for rate in [5e6, 2e7, 1e4, 0.0, 1e6] {
            cache.streams[0].rate = rate;
            cache.solve();
            let scratch = hits(500.0, 1.0, &cache.streams);
            scratch.iter().enumerate().for_each(|(index, hit)| assert_close(cache.hit(index), *hit));
        }
    }

    /// Nothing was evicted a moment after it was filled; as much as by the next access when that time has passed.
    #[test]
    fn lines_survive_from_filling_to_the_next_access() {
        let mut cache = SharedCache::new(500.0, 0.0, vec![stream(StreamKind::Periodic, 1370.0, 1e6, 0b11)]);
        cache.solve();
        assert_close(cache.survival(0, 0.0), 1.0);
        assert_close(cache.survival(0, 1.0), cache.hit(0));
        assert!(cache.survival(0, 0.5) > cache.hit(0));
    }
}
