//! A Gaussian process of a host model, asked by a search.

use pyo3::prelude::*;
use sextant_core::BadInput;
use sextant_core::process::known::{Handing, Ideal};
use sextant_core::process::shape::ROLES;
use sextant_core::process::{FedChain, Known, Load, NfType, Role, Sample, Shape, Standing, at_rest, host};

use crate::work::without_gil;

/// Level, bend, slope, lengths, shared.
type Form = (f64, f64, f64, Load, f64);
/// Role's number, load, drop, its variance.
type Measured = (usize, Load, f64, f64);
/// Mpps alone on a local and on a remote node, references, what neighbours take, samples.
type Given = (f64, f64, f64, Vec<Handing>, Vec<Measured>);
/// NFs (type, node), the node that packets arrive on, Mpps offered.
type Fed = (Vec<(usize, usize)>, usize, f64);
/// Mpps, Mpps alone, standard deviation of the drop.
type Room = (f64, f64, f64);

/// What a fit knows of NF types by their numbers.
#[pyclass(frozen)]
pub struct ProcessTable(Known);

#[pymethods]
impl ProcessTable {
    /// `types`: Mpps alone on a local and on a remote node, references to the last-level cache, what neighbours in a chain
    /// take (local, behind, near, drop), samples (role, load, drop, its variance).
    #[new]
    #[pyo3(signature = (*, shape, average_mpps, types))]
    fn new(py: Python<'_>, shape: Form, average_mpps: f64, types: Vec<Given>) -> PyResult<Self> {
        without_gil(py, || {
            let (level, bend, slope, lengths, shared) = shape;
            if !lengths.iter().chain([&average_mpps]).all(|one| one.is_finite() && *one > 0.0) {
                return Err(BadInput::new("shape.lengths", "these and average_mpps: above 0"));
            }
            let shape = Shape { level, bend, slope, lengths, shared };
            let named = |(number, given): (usize, Given)| {
                made(shape, given).map_err(|error| error.within(&format!("types.{number}")))
            };
            Ok(Self(Known { average_mpps, types: types.into_iter().enumerate().map(named).collect::<Result<_, _>>()? }))
        })
    }

    /// Drops under loads, and the standard deviations of those that would be measured.
    #[expect(clippy::needless_pass_by_value, reason = "what Python gives is owned")]
    fn drops(&self, py: Python<'_>, nf_type: usize, loads: Vec<(usize, Load)>) -> PyResult<Vec<(f64, f64)>> {
        without_gil(py, || {
            let fitted = &self.0.types.get(nf_type).ok_or_else(|| no_type("nf_type"))?.fitted;
            let of = |(number, load): &(usize, Load)| {
                let role = role_of(*number)?;
                Ok((fitted.drop_at(role, load), fitted.deviation_at(role, load)))
            };
            loads.iter().map(of).collect()
        })
    }

    /// Mpps of every chain, and whether rates settled.
    fn rates(&self, py: Python<'_>, chains: Vec<Fed>) -> PyResult<(Vec<f64>, bool)> {
        without_gil(py, || Ok(at_rest(&self.chains(chains)?, &self.0)))
    }

    /// The same, and of every NF of every chain what it has room for.
    fn rest(&self, py: Python<'_>, chains: Vec<Fed>) -> PyResult<(Vec<f64>, bool, Vec<Vec<Room>>)> {
        without_gil(py, || {
            let chains = self.chains(chains)?;
            let (rates, settled) = at_rest(&chains, &self.0);
            let of = |number| {
                let found = host::room(&chains, &rates, number, &self.0);
                found.into_iter().map(|one| (one.mpps, one.ideal, one.deviation)).collect()
            };
            let room = (0..chains.len()).map(of).collect();
            Ok((rates, settled, room))
        })
    }
}

impl ProcessTable {
    fn chains(&self, chains: Vec<Fed>) -> Result<Vec<FedChain>, BadInput> {
        let known = self.0.types.len();
        chains
            .into_iter()
            .map(|(nfs, ingress, offered)| {
                if nfs.iter().any(|&(nf_type, _)| nf_type >= known) {
                    return Err(no_type("chains"));
                }
                if !(offered.is_finite() && offered >= 0.0) {
                    return Err(BadInput::new("chains", "offered: Mpps from 0 on"));
                }
                let nfs = nfs.into_iter().map(|(nf_type, node)| Standing { nf_type, node }).collect();
                Ok(FedChain { nfs, ingress, offered })
            })
            .collect()
    }
}

fn made(shape: Shape, given: Given) -> Result<NfType, BadInput> {
    let (local, remote, references, handing, samples) = given;
    let samples = samples
        .into_iter()
        .map(|(role, load, drop, variance)| Ok(Sample { role: role_of(role)?, load, drop, variance }));
    NfType::new(shape, Ideal { local, remote }, references, &handing, &samples.collect::<Result<Vec<_>, _>>()?)
}

fn role_of(number: usize) -> Result<Role, BadInput> {
    ROLES.get(number).copied().ok_or_else(|| BadInput::new("role", "0 to 3"))
}

fn no_type(field: &str) -> BadInput {
    BadInput::new(field, "there is no NF type of that number")
}
