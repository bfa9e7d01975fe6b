//! What an NF asks of the LLC, and what inclusion makes of it: what the LLC evicts leaves the core's own cache, too.

/// Accesses to a stream of lines in the LLC of the worker's node.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// By index in the node's cache.
    pub stream: usize,
    /// Lines asked of the core's own cache a packet.
    pub accesses: f64,
    /// Of these, asked of the LLC, as long as that takes nothing from the core's own cache.
    pub references: f64,
    /// Seconds for one that the core's own cache has.
    pub private_s: f64,
    /// True: what the LLC evicts leaves the core's own cache, too.
    pub inclusive: bool,
    /// How many are under way at once.
    pub mlp: f64,
    /// Share of them that write.
    pub write_share: f64,
    /// The node of their memory.
    pub home: usize,
}

/// Where accesses of a packet find their lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// In the core's own cache.
    pub own: f64,
    /// Not there, and so asked of the LLC.
    pub references: f64,
    /// Not there either.
    pub missed: f64,
}

impl Access {
    /// Accesses that the LLC is to count for a line's hits, a packet: an inclusive one loses a line however often the
    /// core's own cache was asked for it, and gets it again at the next access of any kind.
    pub const fn seen(&self) -> f64 {
        if self.inclusive { self.accesses } else { self.references }
    }

    /// With the share `hit` of what the LLC sees there.
    ///
    /// Of a line asked for q times a second, lost by the core's own cache at rate n and with it by the LLC at m, the own
    /// cache has q / (q + n + m): 1 / (1 / hit + n / q), by hit = q / (q + m) (Jaleel et al., MICRO'10: inclusion victims).
    /// What it has not is not taken from the whole: of next to nothing, rounding would leave more misses than accesses.
    pub fn reached(&self, hit: f64) -> Reached {
        if !self.inclusive {
            let (references, missed) = (self.references, self.references * (1.0 - hit));
            return Reached { own: self.accesses - references, references, missed };
        }
        let (through, missed) = (self.references / self.accesses, self.accesses * (1.0 - hit));
        if through >= 1.0 {
            return Reached { own: 0.0, references: self.accesses, missed };
        }
        let lost = hit * through / (1.0 - through); // n / (q + m)
        let each = self.accesses / (1.0 + lost);
        Reached { own: each * hit, references: each * (1.0 - hit + lost), missed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCESS: Access = Access {
        stream: 0,
        accesses: 10.0,
        references: 4.0,
        private_s: 0.0,
        inclusive: true,
        mlp: 1.0,
        write_share: 0.0,
        home: 0,
    };

    /// Of 10 accesses the core's own cache has 6 as long as the LLC takes none from it: n / q = .4 / .6. A line that the
    /// LLC loses at m = q / 4 has hits of .8 there: the own cache 10 / (1.25 + .6667) = 5.217, 4.783 are asked of the
    /// LLC, and it misses 10 / 5 = 2. One that is not inclusive sees 4, and with hits of .8 misses .8.
    #[test]
    fn an_inclusive_llc_takes_lines_from_the_cores_own_cache() {
        let found = ACCESS.reached(0.8);
        assert!((found.own - 5.2174).abs() < 1e-4, "{found:?}");
        assert!((found.references - 4.7826).abs() < 1e-4 && (found.missed - 2.0).abs() < 1e-12, "{found:?}");
        let other = Access { inclusive: false, ..ACCESS }.reached(0.8);
        assert!((other.own - 6.0).abs() < 1e-12 && (other.missed - 0.8).abs() < 1e-12, "{other:?}");
        assert_eq!((ACCESS.seen(), Access { inclusive: false, ..ACCESS }.seen()), (10.0, 4.0));
    }

    /// Of 10 accesses the own cache loses 1e-12, and the LLC with it 1 in 10^9: it is asked for both, and misses the second.
    #[test]
    fn of_next_to_nothing_no_more_is_missed_than_asked_for() {
        let found = Access { references: 1e-12, ..ACCESS }.reached(1.0 - 1e-9);
        assert!(found.missed <= found.references, "{found:?}");
        assert!((found.references / found.missed - 1.0 - 1e-4).abs() < 1e-6, "{found:?}");
    }

    /// State that the own cache holds whole is asked of the LLC for what it evicted alone: both miss 2 of 10. With all hits
    /// an inclusive LLC takes nothing: 6 as ever. With none nothing is anywhere.
    #[test]
    fn inclusion_at_its_ends() {
        let whole = Access { references: 0.0, ..ACCESS }.reached(0.8);
        assert!((whole.references - 2.0).abs() < 1e-12 && (whole.missed - 2.0).abs() < 1e-12, "{whole:?}");
        assert!((ACCESS.reached(1.0).own - 6.0).abs() < 1e-9);
        assert!(ACCESS.reached(0.0).own < 1e-9 && (ACCESS.reached(0.0).missed - 10.0).abs() < 1e-12);
    }
}
