//! Weights and states of the network out of JSON.

use crate::error::BadInput;
use crate::fields::At;
use crate::laws::sfc2cpu::layer::Layer;
use crate::laws::sfc2cpu::network::{FEATURES, Network, State, shapes};
use crate::laws::sfc2cpu::reading::{MAX_NUMBER, MAX_OF};

/// Most of a weight, either way.
const MAX_WEIGHT: f64 = 1e6;

/// `seed` and `cores` of an untrained network; or `cores` and a matrix a layer, input by input, each with a bias where the
/// layer has one, as `dense` and `dense_bias`.
pub fn network(at: At) -> Result<Network, BadInput> {
    let names = shapes(1).map(|shape| shape.0);
    let biases: Vec<String> = names.iter().map(|name| format!("{name}_bias")).collect();
    let keys: Vec<&str> = ["seed", "cores", "most_vnfs"]
        .into_iter()
        .chain(names)
        .chain(biases.iter().skip(3).map(String::as_str))
        .collect();
    let object = at.object(&keys)?;
    let cores = object.required("cores", |at| match at.whole(MAX_OF as u32)? as usize {
        0 => Err(at.refuse("is 0; VNFs need a core")),
        cores => Ok(cores),
    })?;
    let most_vnfs = object.nullable("most_vnfs", |at| at.whole(MAX_OF as u32))?.map(|most| most as usize);
    if let Some(seed) = object.optional("seed", |at| at.whole(u32::MAX))? {
        for name in names {
            object.optional(name, |at| Err::<(), _>(at.refuse("does not go with a seed")))?;
        }
        return Ok(Network { most_vnfs, ..Network::seeded(u64::from(seed), cores) });
    }
    let numbers = |at: At, count: usize| at.list(count..=count, |at| at.number(-MAX_WEIGHT..=MAX_WEIGHT));
    let mut layers = Vec::with_capacity(names.len());
    for ((name, inputs, outputs, biased), bias) in shapes(cores).into_iter().zip(&biases) {
        let rows = object.required(name, |at| at.list(inputs..=inputs, |at| numbers(at, outputs)))?;
        let bias = if biased { object.required(bias, |at| numbers(at, outputs))? } else { Vec::new() };
        layers.push(Layer { inputs, outputs, weights: rows.concat(), bias });
    }
    let layers: [Layer; 7] = layers.try_into().map_err(|_| BadInput::new("weights", "lack a layer"))?;
    Ok(Network::of(cores, most_vnfs, layers))
}

/// `cores` (load, occupants), `vnfs` (cost, Mpps, load, chosen), and `current`: who chooses; the first that has not.
pub fn state(at: At) -> Result<State, BadInput> {
    let object = at.object(&["cores", "vnfs", "current"])?;
    let cores = object.required("cores", |at| at.list(1..=MAX_OF, numbers::<2>))?;
    let vnfs = object.required("vnfs", |at| at.list(1..=MAX_OF, numbers::<FEATURES>))?;
    let current = object.nullable("current", |at| at.whole(vnfs.len() as u32 - 1))?;
    let current = current.map(|vnf| vnf as usize).or_else(|| vnfs.iter().position(|vnf| vnf[3] == 0.0));
    let current = current.ok_or_else(|| BadInput::new("state.vnfs", "have all chosen; nobody's turn is left"))?;
    Ok(State { cores, vnfs, current })
}

fn numbers<const N: usize>(at: At) -> Result<[f64; N], BadInput> {
    let given = at.list(N..=N, |at| at.number(0.0..=MAX_NUMBER))?;
    let mut found = [0.0; N];
    found.copy_from_slice(&given);
    Ok(found)
}
