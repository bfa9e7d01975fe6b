//! The relaxation of the chains that the best placement accepts, and a new one whenever it accepts others.

use crate::bound::Relaxation;
use crate::control::Control;
use crate::incremental::Standing;
use crate::instance::{Assignment, Instance};
use crate::rank::{close, solo_bound};

/// What is certified of the score.
pub struct Certifier<'a> {
    instance: &'a Instance,
    relaxation: Option<Relaxation<'a>>,
    accepted: Vec<bool>,
    bound: f64, // for the accepted chains
}

impl<'a> Certifier<'a> {
    /// The solo bound, for a beginning.
    pub fn new(instance: &'a Instance, assignment: &Assignment) -> Self {
        let bound = solo_bound(instance, assignment);
        Self { instance, relaxation: None, accepted: accepted(assignment), bound }
    }

    /// Price about so many boxes for the chains this placement accepts.
    pub fn improve(&mut self, standing: &Standing, boxes: u64, control: &mut Control) {
        if !self.is_for(standing) {
            self.relaxation = None;
        }
        let relaxation = self.relaxation.get_or_insert_with(|| {
            let assignment = standing.assignment();
            self.accepted = accepted(&assignment);
            Relaxation::new(self.instance, &assignment)
        });
        let (score, mut work) = (standing.rank().score, 0);
        while work < boxes && !control.stopped() && !relaxation.is_idle() && !close(relaxation.bound(), score) {
            work += relaxation.improve(score, control);
        }
        self.bound = relaxation.bound();
    }

    /// True if all chains are accepted and nothing scores more.
    pub fn is_met(&self, standing: &Standing) -> bool {
        standing.rejected().is_empty() && self.is_for(standing) && close(standing.rank().score, self.bound)
    }

    /// No placement that accepts the same chains scores more.
    pub fn bound(&self, assignment: &Assignment) -> f64 {
        if self.accepted == accepted(assignment) { self.bound } else { solo_bound(self.instance, assignment) }
    }

    fn is_for(&self, standing: &Standing) -> bool {
        self.accepted.iter().enumerate().all(|(chain, accepted)| standing.pattern(chain).is_some() == *accepted)
    }
}

fn accepted(assignment: &Assignment) -> Vec<bool> {
    assignment.iter().map(Option::is_some).collect()
}
