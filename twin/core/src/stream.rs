//! Lines that go through a cache, and how many of them miss (section 1, equations 2 and 3).

use crate::nf::StreamKind;

/// Lines that are gone over by one user in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheStream {
    /// How many there are; above 0.
    pub lines: f64,
    /// Accesses a second.
    pub rate: f64,
    /// The ways its misses may fill; at least one.
    pub ways: u32,
    /// In which order.
    pub kind: StreamKind,
}

/// 1 - h of equations (2) and (3).
pub fn miss(stream: CacheStream, uses: u32, groups: &[f64], m: &[f64]) -> f64 {
    let width = f64::from(stream.ways.count_ones());
    match stream.kind {
        StreamKind::Passing => 1.0,
        StreamKind::Random => {
            let stays = stays(uses, groups, m) / width;
            if stays.is_infinite() { 0.0 } else { stream.lines / (stream.rate * stays + stream.lines) }
        }
        StreamKind::Periodic => {
            let period = if stream.rate > 0.0 { stream.lines / stream.rate } else { f64::MAX };
            let lost = |group: usize| groups[group] * -(-(m[group] * period)).exp_m1();
            bits(uses).map(lost).sum::<f64>() / width
        }
    }
}

/// d(1 - h) / dm of a group that has `share` of the stream's ways.
pub fn slope(stream: CacheStream, share: f64, m: f64, missed: f64) -> f64 {
    let period = stream.lines / stream.rate;
    match stream.kind {
        StreamKind::Passing => 0.0,
        StreamKind::Random => share * (missed / m) * (missed / m) / period,
        StreamKind::Periodic => share * period * (-(m * period)).exp(),
    }
}

/// The sum over ways of the time a line stays, 1 / m.
fn stays(uses: u32, groups: &[f64], m: &[f64]) -> f64 {
    bits(uses).map(|group| groups[group] / m[group]).sum()
}

/// Which bits are set, from the lowest.
pub fn bits(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let next = (left != 0).then(|| left.trailing_zeros() as usize);
        left &= left.wrapping_sub(1);
        next
    })
}
