//! Isotonic regression of the curves of a fit, for given pressures: pooling adjacent violators (Busing, Monotone
//! Regression: A Simple and Fast O(n) PAVA Implementation, J. Stat. Softw. 102, 2022), curve by curve.

use crate::curves::fold::Fold;

/// Of pressures: those that agree so far are equal.
const DIGITS: f64 = 1e9;
const EQUAL: f64 = 1.0 / DIGITS;

/// A corner of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// Middle of the samples that it stands for.
    pub pressure: f64,
    /// Their mean drop.
    pub drop: f64,
}

/// Curves of a fit: knots of curve c are `knots[starts[c]..starts[c + 1]]`, at least one.
#[derive(Debug, Default)]
pub struct Knots {
    knots: Vec<Knot>,
    starts: Vec<usize>,
}

/// A block of samples with one drop.
#[derive(Debug, Clone, Copy)]
struct Block {
    drop: f64,
    weight: f64,
    /// One beyond its last sample.
    end: usize,
}

impl Knots {
    /// For samples at these pressures. `order`: rows curve by curve, which become those by rising pressure; from step to
    /// step they hardly change places.
    pub fn of(fold: &Fold, pressure: &[f64], order: &mut [usize]) -> Self {
        let mut found = Self { knots: Vec::with_capacity(fold.rows.len()), starts: vec![0] };
        let (mut group, mut blocks) = (Vec::new(), Vec::new());
        for ends in fold.starts.windows(2) {
            group.clear();
            group.extend(order[ends[0]..ends[1]].iter().map(|&row| Ordered {
                // Plus 0: -0 is not below 0.
                rounded: (pressure[row] * DIGITS).round_ties_even() + 0.0,
                drop: fold.rows[row].drop + 0.0,
                row,
            }));
            // Of equal pressures the higher drops come first, which is a violation, so that they are pooled.
            group.sort_unstable_by(Ordered::compare);
            order[ends[0]..ends[1]].iter_mut().zip(&group).for_each(|(row, one)| *row = one.row);
            pool(&group, |row| fold.rows[row].weight, &mut blocks);
            let mut begin = 0;
            for block in &blocks {
                let (mut weight, mut moment) = (0.0, 0.0);
                for one in &group[begin..block.end] {
                    weight += fold.rows[one.row].weight;
                    moment += fold.rows[one.row].weight * pressure[one.row];
                }
                found.knots.push(Knot { pressure: moment / weight, drop: block.drop });
                begin = block.end;
            }
            found.starts.push(found.knots.len());
        }
        found
    }

    /// Of one curve, by rising pressure.
    pub fn of_curve(&self, curve: usize) -> &[Knot] {
        &self.knots[self.starts[curve]..self.starts[curve + 1]]
    }

    /// Drop at a pressure by a curve, and the slope there.
    pub fn at(&self, curve: usize, pressure: f64) -> (f64, f64) {
        let knots = self.of_curve(curve);
        let last = knots.len() - 1;
        // Most samples are a knot of their own: the piece to the right of it is theirs, whatever rounding makes of
        // both. At its ends a curve is constant; for the slope the last piece is as good as any.
        let before = knots.partition_point(|knot| knot.pressure - EQUAL <= pressure);
        let left = before.saturating_sub(1).min(last.saturating_sub(1));
        let (from, to) = (knots[left], knots[(left + 1).min(last)]);
        let width = to.pressure - from.pressure;
        let slope = if width > 0.0 { (to.drop - from.drop) / width } else { 0.0 };
        let inside = pressure.max(knots[0].pressure).min(knots[last].pressure);
        (from.drop + slope * (inside - from.pressure), slope)
    }
}

/// A sample of one curve as it is put in order.
struct Ordered {
    rounded: f64,
    drop: f64,
    row: usize,
}

impl Ordered {
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.rounded
            .total_cmp(&other.rounded)
            .then_with(|| other.drop.total_cmp(&self.drop))
            .then_with(|| self.row.cmp(&other.row))
    }
}

/// Blocks whose drops rise: neighbours that do not are made one, with the mean of both.
fn pool(group: &[Ordered], weight_of: impl Fn(usize) -> f64, blocks: &mut Vec<Block>) {
    blocks.clear();
    let mut next = 0;
    while next < group.len() {
        let mut block = Block { drop: group[next].drop, weight: weight_of(group[next].row), end: next + 1 };
        next += 1;
        while let Some(&before) = blocks.last().filter(|before| before.drop >= block.drop) {
            blocks.pop();
            let weight = before.weight + block.weight;
            block.drop = (before.weight * before.drop + block.weight * block.drop) / weight;
            block.weight = weight;
            while next < group.len() && block.drop >= group[next].drop {
                let own = weight_of(group[next].row);
                let weight = block.weight + own;
                block.drop = (block.weight * block.drop + own * group[next].drop) / weight;
                (block.weight, block.end) = (weight, next + 1);
                next += 1;
            }
        }
        blocks.push(block);
    }
}
