//! All NF types of a fit, checked.

use crate::error::BadInput;

use super::fitted::{Fitted, Sample};
use super::loads::FedChain;
use super::shape::Shape;

/// Mpps alone, by kind of node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ideal {
    /// Where packets arrive.
    pub local: f64,
    /// Elsewhere.
    pub remote: f64,
}

/// What a neighbour in its chain takes of an NF: whether the NF is local, whether the neighbour is the next one, whether
/// on the same node, and the drop.
pub type Handing = (bool, bool, bool, f64);

/// What is known of an NF type.
#[derive(Debug, Clone, PartialEq)]
pub struct NfType {
    /// Alone.
    pub ideal: Ideal,
    /// To the last-level cache, a packet, as a share of what an average NF makes in a microsecond.
    pub references: f64,
    /// Added time by neighbour (`Handing`'s flags as bits).
    added: [f64; 8],
    /// Of its samples.
    pub fitted: Fitted,
}

/// All types that chains can be made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Of an NF alone on the local node.
    pub average_mpps: f64,
    /// By number.
    pub types: Vec<NfType>,
}

/// Most samples of an NF type: a design has some hundred.
pub const MOST_SAMPLES: usize = 1000;
/// Of the time alone: no neighbours make an NF more than ten times as quick.
const LEAST_TIME: f64 = 0.1;

impl NfType {
    /// Checked: errors name the field.
    pub fn new(
        shape: Shape,
        ideal: Ideal,
        references: f64,
        handing: &[Handing],
        samples: &[Sample],
    ) -> Result<Self, BadInput> {
        if samples.is_empty() || samples.len() > MOST_SAMPLES {
            return Err(BadInput::new("samples", format!("from 1 to {MOST_SAMPLES} of an NF type")));
        }
        if ![ideal.local, ideal.remote].iter().all(|mpps| mpps.is_finite() && *mpps > 0.0) {
            return Err(BadInput::new("ideal", "above 0 Mpps"));
        }
        if !(references.is_finite() && references >= 0.0) {
            return Err(BadInput::new("references", "a number from 0 on"));
        }
        for (number, one) in samples.iter().enumerate() {
            let at = |field: &str| format!("samples.{number}.{field}");
            if !one.load.iter().all(|load| load.is_finite() && *load >= 0.0) {
                return Err(BadInput::new(at("load"), "numbers from 0 on"));
            }
            if !one.drop.is_finite() {
                return Err(BadInput::new(at("drop"), "a finite number"));
            }
            if !(one.variance.is_finite() && one.variance > 0.0) {
                return Err(BadInput::new(at("variance"), "above 0"));
            }
        }
        let fitted = Fitted::of(shape, samples)
            .ok_or_else(|| BadInput::new("samples", "of no finite covariance: loads or errors are out of range"))?;
        let mut added = [0.0; 8];
        for &(local, behind, near, drop) in handing {
            added[neighbour(local, behind, near)] = if drop >= 1.0 { f64::INFINITY } else { 1.0 / (1.0 - drop) - 1.0 };
        }
        Ok(Self { ideal, references, added, fitted })
    }
}

impl Known {
    /// Part of what the NF does alone that is left where a load takes `drop`, its neighbours in the chain counted.
    pub fn part_left(&self, chain: &FedChain, place: usize, drop: f64) -> f64 {
        if drop >= 1.0 {
            return 0.0;
        }
        let nf = chain.nfs[place];
        let (local, of) = (nf.node == chain.ingress, &self.types[nf.nf_type].added);
        let mut time = 1.0 / (1.0 - drop);
        let upstream = chain.beside(place, place.checked_sub(1));
        if upstream == Some(local) {
            time += of[neighbour(local, false, local)];
        }
        if let Some(near) = chain.beside(place, Some(place + 1)) {
            time += of[neighbour(local, true, near)];
        }
        1.0 / time.max(LEAST_TIME)
    }
}

const fn neighbour(local: bool, behind: bool, near: bool) -> usize {
    (local as usize) << 2 | (behind as usize) << 1 | near as usize
}
