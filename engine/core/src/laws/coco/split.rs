//! Lanes for an element that is larger than a core (Sec. II-C): the fewest, filled with whole chains. A chain is divided,
//! equally, only if it is larger than a core by itself.

use crate::control::Control;
use crate::laws::coco::problem::ROUNDING;

/// Lanes of an element.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// How many.
    pub replicas: usize,
    /// By chain, the lanes that carry it, each an equal part.
    pub assignment: Vec<Vec<usize>>,
    /// Share of a core of the fullest lane, the intercept not counted.
    pub max_load: f64,
}

/// By chain, the share of a core that its packets take. The fewest lanes of `room` each, then the least `max_load`; a
/// search that is stopped gives the best it has.
pub fn split(loads: &[f64], room: f64, control: &mut Control) -> Split {
    let mut parts: Vec<(f64, usize)> = Vec::new();
    for (chain, &load) in loads.iter().enumerate() {
        let pieces = (load / room - ROUNDING).ceil().max(1.0);
        parts.extend((0..pieces as usize).map(|_| (load / pieces, chain)));
    }
    parts.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut packing = Packing { parts: &parts, room, lanes: Vec::new(), lane_of: Vec::new(), best: None, control };
    packing.go();
    let (_, max_load, lane_of) = packing.best.unwrap_or_default();
    let mut assignment = vec![Vec::new(); loads.len()];
    for (&(_, chain), &lane) in parts.iter().zip(&lane_of) {
        assignment[chain].push(lane);
    }
    Split { replicas: lane_of.iter().max().map_or(0, |most| most + 1), assignment, max_load }
}

struct Packing<'a, 'c> {
    parts: &'a [(f64, usize)],
    room: f64,
    lanes: Vec<f64>,
    lane_of: Vec<usize>,
    best: Option<(usize, f64, Vec<usize>)>,
    control: &'a mut Control<'c>,
}

impl Packing<'_, '_> {
    /// Depth first, the largest part first: best fit leads, so that the first packing found is a good one.
    fn go(&mut self) {
        let fullest = self.lanes.iter().copied().fold(0.0, f64::max);
        let left: f64 = self.parts[self.lane_of.len()..].iter().map(|(load, _)| load).sum();
        if let Some((lanes, max_load, _)) = &self.best {
            let needed = ((self.lanes.iter().sum::<f64>() + left) / self.room - ROUNDING).ceil() as usize;
            let least = self.lanes.len().max(needed);
            let mean = (self.lanes.iter().sum::<f64>() + left) / *lanes as f64;
            let even = fullest.max(mean);
            if least > *lanes || (least == *lanes && even >= max_load - ROUNDING) || self.control.count(1) {
                return;
            }
        }
        let Some(&(load, _)) = self.parts.get(self.lane_of.len()) else {
            if self.best.as_ref().is_none_or(|(lanes, most, _)| (self.lanes.len(), fullest) < (*lanes, *most)) {
                self.best = Some((self.lanes.len(), fullest, self.lane_of.clone()));
            }
            return;
        };
        let mut open: Vec<usize> = (0..self.lanes.len()).collect();
        open.retain(|&lane| self.lanes[lane] + load <= self.room + ROUNDING);
        open.sort_by(|&one, &other| self.lanes[other].total_cmp(&self.lanes[one]));
        for lane in open {
            let before = self.lanes[lane];
            self.lanes[lane] += load;
            self.lane_of.push(lane);
            self.go();
            self.lane_of.pop();
            self.lanes[lane] = before;
        }
        self.lane_of.push(self.lanes.len());
        self.lanes.push(load);
        self.go();
        self.lanes.pop();
        self.lane_of.pop();
    }
}
