//! The samples of one NF type, and what follows from them.

use super::cholesky::Factor;
use super::shape::{LOADS, Load, ROLES, Role, Seen, Shape, apart, matern};

/// What an NF lost under a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Where it stood.
    pub role: Role,
    /// On it.
    pub load: Load,
    /// Share of what it does alone.
    pub drop: f64,
    /// Variance of the drop, the process's own error included.
    pub variance: f64,
}

/// The process of one NF type.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    shape: Shape,
    seen: Vec<Seen>,
    factor: Factor,
    weights: Vec<f64>,
    by_role: [RoleSum; 4],
    noise: f64,
}

/// What no sample needs to be looked at for again: all of covariance that is a product.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct RoleSum {
    level: f64,
    from_none: f64,
    straight: Load,
}

impl Fitted {
    /// None where the samples have no covariance: a figure of them is out of range.
    pub fn of(shape: Shape, samples: &[Sample]) -> Option<Self> {
        let seen: Vec<Seen> = samples.iter().map(|one| shape.seen(one.role, &one.load)).collect();
        let factor = Factor::of(samples.len(), |row, column| {
            let noise = if row == column { samples[row].variance } else { 0.0 };
            shape.alike(&seen[row], &seen[column]) + noise
        })?;
        let mut weights: Vec<f64> = samples.iter().map(|one| one.drop).collect();
        factor.solve(&mut weights);
        let by_role = ROLES.map(|role| RoleSum::of(&shape, role, &seen, &weights));
        let noise = samples.iter().map(|one| one.variance).sum::<f64>() / samples.len().max(1) as f64;
        weights.iter().all(|one| one.is_finite()).then_some(Self { shape, seen, factor, weights, by_role, noise })
    }

    /// Without what neighbours in its chain add.
    pub fn drop_at(&self, role: Role, load: &Load) -> f64 {
        let (one, known) = (self.shape.seen(role, load), &self.by_role[role as usize]);
        let bent: f64 = self
            .seen
            .iter()
            .zip(&self.weights)
            .filter(|(other, _)| other.role.is_local() == role.is_local())
            .map(|(other, weight)| {
                self.shape.together(role, other.role) * weight * matern(apart(&one.bent, &other.bent))
            })
            .sum();
        known.level
            + self.shape.bend * self.shape.bend * (bent - one.from_none * known.from_none)
            + self.shape.slope * self.shape.slope * super::shape::dot(&one.straight, &known.straight)
    }

    /// Standard deviation of the drop that would be measured there with the mean error of its samples.
    pub fn deviation_at(&self, role: Role, load: &Load) -> f64 {
        let one = self.shape.seen(role, load);
        let mut alike: Vec<f64> = self.seen.iter().map(|other| self.shape.alike(&one, other)).collect();
        self.factor.forward(&mut alike);
        let known: f64 = alike.iter().map(|part| part * part).sum();
        ((self.shape.alike(&one, &one) - known).max(0.0) + self.noise).sqrt()
    }
}

impl RoleSum {
    fn of(shape: &Shape, role: Role, seen: &[Seen], weights: &[f64]) -> Self {
        let mut sum = Self::default();
        for (other, weight) in seen.iter().zip(weights) {
            let shared = shape.together(role, other.role) * weight;
            sum.level += shape.level_of(role, other.role) * weight;
            sum.from_none += shared * other.from_none;
            (0..LOADS).for_each(|n| sum.straight[n] += shared * other.straight[n]);
        }
        sum
    }
}
