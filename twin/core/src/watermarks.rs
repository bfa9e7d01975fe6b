//! Watermarks of a ring: backpressure begins where it is filled to the high one, and ends below the low one, so that it does
//! not flap (`NFVnice`; sfc2cpu, Sec. II-B).

/// Of a ring's room, where packets begin to be dropped at the entry.
pub const HIGH_PERCENT: u64 = 80;
/// Below this they are no longer.
pub const LOW_PERCENT: u64 = 60;

/// Of a ring, in whole packets, as many as a ring can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Marks {
    /// From so many on it is on.
    pub high: f64,
    /// Down to so many it is off again.
    pub low: f64,
}

impl Marks {
    /// Of a ring with room for so many packets, at least 1.
    pub fn of(room: u32) -> Self {
        let packets = |percent: u64| (percent * u64::from(room)).div_ceil(100) as f64;
        Self { high: packets(HIGH_PERCENT), low: packets(LOW_PERCENT) - 1.0 }
    }

    /// Whether it is on now, with `fill` packets; `was`: whether it was.
    pub fn is_on(&self, was: bool, fill: f64) -> bool {
        if was { fill > self.low } else { fill >= self.high }
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;

    /// Of 512: on from 409.6, so 410 packets, until there are fewer than 307.2, so 307. Of one packet: while it is there.
    #[test]
    fn marks_in_whole_packets() {
        assert_eq!(Marks::of(512), Marks { high: 410.0, low: 307.0 });
        assert_eq!(Marks::of(1), Marks { high: 1.0, low: 0.0 });
        assert_eq!(Marks::of(u32::MAX).high, 3_435_973_836.0);
    }

    /// Of ten: on at 8, still at 6, off at 5, off still at 7.
    #[test]
    fn between_the_marks_it_stays_as_it_was() {
        let mut on = false;
        let states = [7.0, 8.0, 6.0, 5.0, 7.0].map(|fill| {
            on = Marks::of(10).is_on(on, fill);
            on
        });
        assert_eq!(states, [false, true, true, false, false]);
    }
}
