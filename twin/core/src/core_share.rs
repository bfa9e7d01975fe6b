//! How a core is shared (section 5).

/// What somebody wants of a core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// Against the others.
    pub weight: f64,
    /// The most it may use, 0 to 1.
    pub quota: f64,
    /// What it would use if it had the core alone, 0 to 1; whoever polls wants all.
    pub demand: f64,
}

/// The part of the core that `claims[who]` gets if it wants all of it: what the others do not use, but at least its
/// weight's part, and at most its quota.
pub fn share(claims: &[Claim], who: usize) -> f64 {
    let limit = |index: usize, claim: &Claim| if index == who { claim.quota } else { claim.quota.min(claim.demand) };
    let mut open: Vec<(f64, f64, bool)> =
        claims.iter().enumerate().map(|(index, claim)| (claim.weight, limit(index, claim), index == who)).collect();
    // Whoever needs least for its weight is served first; what it leaves raises the level of the rest.
    open.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    let mut weights: f64 = open.iter().map(|claim| claim.0).sum();
    let mut left = 1.0;
    for (weight, limit, wanted) in open {
        let given = limit.min(left * weight / weights);
        if wanted {
            return given;
        }
        left -= given;
        weights -= weight;
    }
    0.0
}

/// The part of a process's time that is left when every slice begins with a switch and with fetching again what others
/// evicted; `others`: how much of the core others use, 0 to 1.
pub fn after_switching(slice_s: f64, switch_s: f64, rewarm_s: f64, others: f64) -> f64 {
    slice_s / (slice_s + others.min(1.0) * (switch_s + rewarm_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(weight: f64, quota: f64, demand: f64) -> Claim {
        Claim { weight, quota, demand }
    }

    /// Weights 100 and 300, both poll: 100 / 400.
    #[test]
    fn pollers_share_by_weight() {
        assert!((share(&[claim(100.0, 1.0, 1.0), claim(300.0, 1.0, 1.0)], 0) - 0.25).abs() < 1e-12);
    }

    /// The other sleeps 80 % of the time: what it leaves is the first one's.
    #[test]
    fn who_sleeps_leaves_its_part() {
        assert!((share(&[claim(100.0, 1.0, 1.0), claim(300.0, 1.0, 0.2)], 0) - 0.8).abs() < 1e-12);
    }

    /// Three of equal weight, one held to 10 % by its quota: (1 - .1) / 2 for the others.
    #[test]
    fn a_quota_leaves_more_to_the_others() {
        let claims = [claim(100.0, 1.0, 1.0), claim(100.0, 0.1, 1.0), claim(100.0, 1.0, 1.0)];
        assert!((share(&claims, 2) - 0.45).abs() < 1e-12);
        assert!((share(&claims, 1) - 0.1).abs() < 1e-12);
    }

    /// Slices of 1 ms, each 50 us for the switch and 150 us to warm up: 1 / 1.2.
    #[test]
    fn switching_takes_its_part() {
        assert!((after_switching(1e-3, 50e-6, 150e-6, 1.0) - 1.0 / 1.2).abs() < 1e-12);
        assert_eq!(after_switching(1e-3, 50e-6, 150e-6, 0.0), 1.0);
    }
}
