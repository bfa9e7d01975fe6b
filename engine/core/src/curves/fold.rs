//! The samples that one fit sees, as arrays: curves, types and sides that none of them is of are gone.
//!
//! Unknowns are one array: g shares of far pressure, t pressures near, t far. Shares come first because no two of them
//! stand in one sample: elimination that begins with them has little to do.

use crate::curves::table::Table;

/// Weight of a drop that is 0 by definition, against samples'.
const HELD: f64 = 1e6;

/// One sample of a fit.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its curve, numbered within the fit.
    pub curve: usize,
    /// The side of its curve, numbered within the fit.
    pub side: usize,
    /// Share of the ideal throughput.
    pub drop: f64,
    /// In the squares that are made least.
    pub weight: f64,
    near: (usize, usize),
    far: (usize, usize),
}

/// Measured samples first, then one for each curve that is 0 without co-located NFs.
#[derive(Debug)]
pub struct Fold {
    /// All of them.
    pub rows: Vec<Row>,
    /// Rows curve by curve: those of curve c are `by_curve[starts[c]..starts[c + 1]]`.
    pub by_curve: Vec<usize>,
    /// See `by_curve`.
    pub starts: Vec<usize>,
    /// Of each curve, its place in the table.
    pub curves: Vec<usize>,
    /// Of each type.
    pub types: Vec<usize>,
    /// Of each side.
    pub sides: Vec<usize>,
    /// By type, whether it stood near in a sample.
    pub seen_near: Vec<bool>,
    /// By type, whether it stood elsewhere.
    pub seen_far: Vec<bool>,
    /// By side, whether it had co-located NFs elsewhere in a sample.
    pub with_far: Vec<bool>,
    entries: Vec<(usize, f64)>,
    measured: usize,
}

/// An array of unknowns in its parts.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// Of far pressure, by side.
    pub shares: &'a [f64],
    /// Pressures near, by type.
    pub near: &'a [f64],
    /// Pressures from elsewhere.
    pub far: &'a [f64],
}

impl Fold {
    /// Of the samples that are `left`.
    pub fn of(table: &Table, left: &[bool]) -> Self {
        let kept: Vec<usize> = (0..table.samples.len()).filter(|&row| left[row]).collect();
        let numbers = Numbers::of(table, &kept);
        let mut fold = numbers.empty(kept.len());
        for &number in &kept {
            let sample = &table.samples[number];
            let near = fold.add_co_located(table, number, true, &numbers.types.new);
            let far = fold.add_co_located(table, number, false, &numbers.types.new);
            let curve = numbers.curves.new[sample.curve];
            let side = numbers.sides.new[table.curves[sample.curve].side];
            fold.rows.push(Row { curve, side, drop: sample.drop, weight: sample.weight, near, far });
            for &(nf_type, count) in &fold.entries[near.0..near.1] {
                fold.seen_near[nf_type] |= count > 0.0;
            }
            for &(nf_type, count) in &fold.entries[far.0..far.1] {
                fold.seen_far[nf_type] |= count > 0.0;
                fold.with_far[side] |= count > 0.0;
            }
        }
        fold.hold(table);
        fold.order();
        fold
    }

    /// How many rows were measured: all but those that hold a curve at 0.
    pub fn measured(&self) -> usize {
        self.measured
    }

    /// How many numbers are looked for.
    pub fn unknowns(&self) -> usize {
        self.sides.len() + 2 * self.types.len()
    }

    /// An array of unknowns in its parts.
    pub fn parts<'a>(&self, unknowns: &'a [f64]) -> Parts<'a> {
        let (shares, pressures) = unknowns.split_at(self.sides.len());
        let (near, far) = pressures.split_at(self.types.len());
        Parts { shares, near, far }
    }

    /// Types near a row, and how many of each, by the power of their rate.
    pub fn near(&self, row: &Row) -> &[(usize, f64)] {
        &self.entries[row.near.0..row.near.1]
    }

    /// The same elsewhere.
    pub fn far(&self, row: &Row) -> &[(usize, f64)] {
        &self.entries[row.far.0..row.far.1]
    }

    /// Adds up a sample's co-located NFs of each type, in order of types.
    fn add_co_located(&mut self, table: &Table, number: usize, near: bool, types: &[usize]) -> (usize, usize) {
        let start = self.entries.len();
        for nf in table.samples[number].co_located.iter().filter(|nf| nf.near == near) {
            let (nf_type, count) = (types[nf.nf_type], nf.rate);
            match self.entries[start..].iter_mut().find(|entry| entry.0 == nf_type) {
                Some(entry) => entry.1 += count,
                None => self.entries.push((nf_type, count)),
            }
        }
        self.entries[start..].sort_unstable_by_key(|entry| entry.0);
        (start, self.entries.len())
    }

    /// Adds the rows that hold curves at 0.
    fn hold(&mut self, table: &Table) {
        self.measured = self.rows.len();
        let weight = HELD * self.rows.iter().map(|row| row.weight).fold(0.0, f64::max);
        let side_of: Vec<usize> =
            self.curves.iter().map(|&curve| place(&self.sides, table.curves[curve].side)).collect();
        for (curve, &side) in side_of.iter().enumerate() {
            if table.curves[self.curves[curve]].from_zero {
                self.rows.push(Row { curve, side, drop: 0.0, weight, near: (0, 0), far: (0, 0) });
            }
        }
    }

    /// Puts rows into groups of one curve.
    fn order(&mut self) {
        self.by_curve = (0..self.rows.len()).collect();
        self.by_curve.sort_by_key(|&row| self.rows[row].curve);
        self.starts = vec![0; self.curves.len() + 1];
        for row in &self.rows {
            self.starts[row.curve + 1] += 1;
        }
        for curve in 0..self.curves.len() {
            self.starts[curve + 1] += self.starts[curve];
        }
    }
}

/// Where a number stands that is there.
fn place(sorted: &[usize], number: usize) -> usize {
    sorted.partition_point(|&one| one < number)
}

/// Numbers of a table that are used in a fit, and what each is there.
struct Numbering {
    used: Vec<usize>,
    new: Vec<usize>,
}

impl Numbering {
    fn of(count: usize, used: impl Iterator<Item = usize>) -> Self {
        let mut seen = vec![false; count];
        used.for_each(|number| seen[number] = true);
        let used: Vec<usize> = (0..count).filter(|&number| seen[number]).collect();
        let mut new = vec![usize::MAX; count];
        for (place, &number) in used.iter().enumerate() {
            new[number] = place;
        }
        Self { used, new }
    }
}

struct Numbers {
    curves: Numbering,
    types: Numbering,
    sides: Numbering,
}

impl Numbers {
    fn of(table: &Table, kept: &[usize]) -> Self {
        let samples = || kept.iter().map(|&number| &table.samples[number]);
        let curves = Numbering::of(table.curves.len(), samples().map(|sample| sample.curve));
        let sides = Numbering::of(table.sides, curves.used.iter().map(|&curve| table.curves[curve].side));
        let types = Numbering::of(table.types, samples().flat_map(|one| one.co_located.iter().map(|nf| nf.nf_type)));
        Self { curves, types, sides }
    }

    fn empty(&self, rows: usize) -> Fold {
        let (types, sides) = (self.types.used.len(), self.sides.used.len());
        Fold {
            rows: Vec::with_capacity(rows + self.curves.used.len()),
            by_curve: Vec::new(),
            starts: Vec::new(),
            curves: self.curves.used.clone(),
            types: self.types.used.clone(),
            sides: self.sides.used.clone(),
            seen_near: vec![false; types],
            seen_far: vec![false; types],
            with_far: vec![false; sides],
            entries: Vec::new(),
            measured: 0,
        }
    }
}
