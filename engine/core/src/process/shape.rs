//! How alike the drops of two samples are.

/// Figures of a load.
pub const LOADS: usize = 5;
/// Other chains, then packets and references near and far.
pub type Load = [f64; LOADS];

/// Where an NF stands in its chain, as far as caches care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// On the node that packets arrive on.
    Local,
    /// There, its upstream NF elsewhere.
    Crossing,
    /// On another node, first of its run.
    Head,
    /// There, behind an NF of its run.
    Behind,
}

/// In the order of their numbers.
pub const ROLES: [Role; 4] = [Role::Local, Role::Crossing, Role::Head, Role::Behind];

impl Role {
    /// Whether a drop without any load is of another kind than that of the NF alone.
    pub const fn has_level(self) -> bool {
        matches!(self, Self::Crossing | Self::Behind)
    }

    /// Whether on the node that packets arrive on.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Local | Self::Crossing)
    }
}

/// Standard deviations of drops, and loads over which drops change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Of a role behind another NF.
    pub level: f64,
    /// About a straight line.
    pub bend: f64,
    /// Of the straight line.
    pub slope: f64,
    /// Of square roots of loads.
    pub lengths: Load,
    /// By roles on one kind of node.
    pub shared: f64,
}

/// A load as a shape sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Where the NF stands.
    pub role: Role,
    /// Square roots over lengths.
    pub bent: Load,
    /// Loads over squares of lengths.
    pub straight: Load,
    /// `matern` of the way from no load.
    pub from_none: f64,
}

impl Shape {
    /// Loads are at least 0.
    pub fn seen(&self, role: Role, load: &Load) -> Seen {
        let bent: Load = std::array::from_fn(|n| load[n].sqrt() / self.lengths[n]);
        let straight = std::array::from_fn(|n| load[n] / (self.lengths[n] * self.lengths[n]));
        Seen { role, bent, straight, from_none: matern(apart(&bent, &[0.0; LOADS])) }
    }

    /// What roles share; 0 between kinds of nodes.
    pub fn together(&self, one: Role, other: Role) -> f64 {
        if one == other {
            1.0
        } else if one.is_local() == other.is_local() {
            self.shared
        } else {
            0.0
        }
    }

    /// Covariance of drops.
    pub fn alike(&self, one: &Seen, other: &Seen) -> f64 {
        let together = self.together(one.role, other.role);
        if together == 0.0 {
            return 0.0;
        }
        let bent = matern(apart(&one.bent, &other.bent)) - one.from_none * other.from_none;
        let straight = dot(&one.straight, &other.straight);
        self.level_of(one.role, other.role)
            + together * (self.bend * self.bend * bent + self.slope * self.slope * straight)
    }

    /// The part of covariance that no load changes.
    pub fn level_of(&self, one: Role, other: Role) -> f64 {
        if one == other && one.has_level() { self.level * self.level } else { 0.0 }
    }
}

/// Of the order 3/2: once differentiable.
pub fn matern(apart: f64) -> f64 {
    let scaled = 3f64.sqrt() * apart;
    (1.0 + scaled) * (-scaled).exp()
}

/// Distance.
pub fn apart(one: &Load, other: &Load) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Sum of products.
pub fn dot(one: &Load, other: &Load) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
