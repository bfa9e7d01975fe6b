//! Problems out of JSON. What is doubtful is refused by its field.

use std::collections::{BTreeMap, HashMap};

use crate::error::BadInput;
use crate::fields::{At, Object};
use crate::laws::coco::problem::{Chain, Core, CoreId, Distances, Homes, Problem};

/// Most elements of a problem, most chains, most elements of a chain, and most cores.
pub const MAX_OF: usize = 512;
/// Most of a rate, of a delay, of a price and of a share.
pub const MAX_NUMBER: f64 = 1e12;
/// A move costs at least this share of the cheapest hop.
const TIE: f64 = 1e-6;
const SHARES: &str = "f must be positive and must not fall with the rate";

/// `chains`, `cpu`, `cores` and `t_d` of the verb `place`; of elements that stand somewhere `homes`, and the `price` of a
/// move.
pub fn first_placement(object: &Object) -> Result<Problem, BadInput> {
    let chains = object.required("chains", |at| {
        at.list(1..=MAX_OF, |at| {
            let object = at.object(&["elements", "rate"])?;
            Ok((object.required("elements", chain)?, object.required("rate", number)?))
        })
    })?;
    let (names, chains) = indexed(chains);
    if names.len() > MAX_OF {
        return Err(BadInput::new("chains", format!("name {} elements, more than {MAX_OF}", names.len())));
    }
    let mut rates = vec![0.0; names.len()];
    for chain in &chains {
        chain.elements.iter().for_each(|&element| rates[element] += chain.rate);
    }
    let cores = object.required("cores", cores)?;
    let delay = object.required("t_d", distances)?;
    let homes = object.optional("homes", |at| at.map::<CoreId, HashMap<_, _>>(MAX_OF, CoreId::read))?;
    let price = object.optional("price", number)?.unwrap_or_default();
    let stays = object.optional("stays", |at| at.list(0..=MAX_OF, |at| at.id()))?.unwrap_or_default();
    let nfs = object.optional("nfs", |at| counts(at, "nfs", &names))?.unwrap_or_else(|| vec![1; names.len()]);
    let at_home = object.optional("nfs_at_home", |at| counts(at, "nfs_at_home", &names))?;
    let home = |name: &String| {
        let Some(wanted) = homes.as_ref().and_then(|homes| homes.get(name)) else { return Ok(None) };
        let known = cores.iter().position(|core| core.id == *wanted);
        known.map(Some).ok_or_else(|| BadInput::new(format!("homes.{name}"), "is none of the cores"))
    };
    let at = names.iter().map(home).collect::<Result<Vec<_>, _>>()?;
    Ok(Problem {
        cpu: object.required("cpu", |at| shares(at, &names, &rates))?,
        distances: delay,
        homes: homes.is_some().then(|| Homes {
            nfs: at_home.unwrap_or_else(|| nfs.clone()),
            price: price.max(least_price(&chains, delay)),
            stays: names.iter().map(|name| stays.contains(name)).collect(),
            at,
        }),
        cores,
        names,
        nfs,
        chains,
    })
}

/// Of placements that cost the same the one of fewest moves is wanted, even where a move is free.
fn least_price(chains: &[Chain], delay: Distances) -> f64 {
    let hops = chains.iter().map(|chain| chain.rate * delay.same_node).filter(|cost| *cost > 0.0);
    let cheapest = hops.fold(f64::INFINITY, f64::min);
    TIE * if cheapest.is_finite() { cheapest } else { 1.0 }
}

/// `cores`, `chains`, `cpu`, `overloaded`, `needs` and more of the verb `push_aside`: elements that stand already.
pub fn standing(object: &Object) -> Result<Problem, BadInput> {
    let by_core: BTreeMap<String, Vec<String>> =
        object.required("cores", |at| at.map(MAX_OF, |at| at.list(0..=MAX_OF, |at| at.id())))?;
    let chains = object.required("chains", |at| at.list(1..=MAX_OF, chain))?;
    let rates = object.nullable("rates", |at| at.list(chains.len()..=chains.len(), number))?;
    let rates = rates.unwrap_or_else(|| vec![1.0; chains.len()]);
    let (mut names, chains) = indexed(chains.into_iter().zip(rates).collect());
    let ids: Vec<String> = by_core.keys().cloned().collect();
    let mut home: HashMap<String, usize> = HashMap::new();
    for (core, elements) in by_core.values().enumerate() {
        for element in elements {
            if home.insert(element.clone(), core).is_some() {
                return Err(BadInput::new("cores", format!("'{element}' stands on two cores")));
            }
            if !names.contains(element) {
                names.push(element.clone());
            }
        }
    }
    let at = |name: &String| {
        home.get(name).copied().ok_or_else(|| BadInput::new("chains", format!("'{name}' stands on no core")))
    };
    let at = names.iter().map(at).collect::<Result<Vec<usize>, _>>()?;
    let of_core = |key: &str, most: f64| {
        object.nullable(key, |at| at.map::<f64, HashMap<_, _>>(MAX_OF, |at| at.number(0.0..=most)))
    };
    let (others, slots) = (of_core("others", MAX_NUMBER)?.unwrap_or_default(), of_core("free_slots", 1e6)?);
    let stays = object.nullable("stays", |at| at.list(0..=MAX_OF, |at| at.id()))?.unwrap_or_default();
    let overloaded = object.required("overloaded", |at| at.id())?;
    let needs = object.required("needs", |at| at.number(0.0..=MAX_NUMBER))?;
    let nfs = object.optional("nfs", |at| counts(at, "nfs", &names))?.unwrap_or_else(|| vec![1; names.len()]);
    let mut cpu = object.required("cpu", |at| shares(at, &names, &vec![0.0; names.len()]))?;
    let grown = names.iter().position(|name| *name == overloaded);
    let grown = grown.ok_or_else(|| BadInput::new("overloaded", format!("'{overloaded}' is no element")))?;
    cpu[grown] = needs;
    let unit = Distances { same_core: 0.0, same_node: 1.0, other_node: 1.0 };
    let delay = object.nullable("t_d", distances)?.unwrap_or(unit);
    let price = object.nullable("price", number)?.unwrap_or_default();
    // Another core that lacks time already may go on as it is, but gets no more to do.
    let load = |core: usize| at.iter().zip(&cpu).filter(|(home, _)| **home == core).map(|(_, cpu)| cpu).sum::<f64>();
    let core = |(index, name): (usize, &String)| {
        let room = 1.0 - others.get(name).copied().unwrap_or_default();
        Core {
            id: CoreId::Text(name.clone()),
            node: 0,
            room: if index == at[grown] { room } else { room.max(load(index)) },
            slots: slots.as_ref().map_or(usize::MAX / 2, |slots| {
                let standing: usize = at.iter().zip(&nfs).filter(|(core, _)| **core == index).map(|(_, nfs)| nfs).sum();
                standing + slots.get(name).copied().unwrap_or_default() as usize
            }),
        }
    };
    let cores = ids.iter().enumerate().map(core).collect();
    Ok(Problem {
        cores,
        distances: delay,
        homes: Some(Homes {
            nfs: nfs.clone(),
            price: price.max(least_price(&chains, delay)),
            stays: names.iter().map(|name| stays.contains(name)).collect(),
            at: at.into_iter().map(Some).collect(),
        }),
        names,
        cpu,
        nfs,
        chains,
    })
}

/// Of elements, 1 where none is given.
fn counts(at: At, field: &str, names: &[String]) -> Result<Vec<usize>, BadInput> {
    let given: HashMap<String, u32> = at.map(MAX_OF, |at| at.whole(MAX_OF as u32))?;
    if let Some(name) = given.keys().find(|name| !names.contains(name)) {
        return Err(BadInput::new(format!("{field}.{name}"), "is no element; remove it or correct its spelling"));
    }
    Ok(names.iter().map(|name| given.get(name).copied().unwrap_or(1) as usize).collect())
}

/// A number of 0 or more.
pub fn number(at: At) -> Result<f64, BadInput> {
    at.number(0.0..=MAX_NUMBER)
}

fn chain(at: At) -> Result<Vec<String>, BadInput> {
    let elements: Vec<String> = at.list(1..=MAX_OF, |at| at.id())?;
    for (index, name) in elements.iter().enumerate() {
        if elements[..index].contains(name) {
            return Err(at.refuse(format!(
                "'{name}' occurs twice: a chain has no loop; give its second pass a name of its own"
            )));
        }
    }
    Ok(elements)
}

fn indexed(chains: Vec<(Vec<String>, f64)>) -> (Vec<String>, Vec<Chain>) {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut index = |name: String| {
        *known.entry(name.clone()).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let chains = chains
        .into_iter()
        .map(|(elements, rate)| Chain { elements: elements.into_iter().map(&mut index).collect(), rate })
        .collect();
    (names, chains)
}

/// A share of a core by element, or one line for all of them.
fn shares(at: At, names: &[String], rates: &[f64]) -> Result<Vec<f64>, BadInput> {
    let given: HashMap<String, f64> = at.map(MAX_OF + 2, |at| at.number(-MAX_NUMBER..=MAX_NUMBER))?;
    let line = ["slope", "intercept"];
    let is_line =
        given.len() == 2 && line.iter().all(|key| given.contains_key(*key) && !names.iter().any(|n| n == key));
    if is_line {
        let [slope, intercept] = line.map(|key| given[key]);
        for (key, value) in [("slope", slope), ("intercept", intercept)] {
            if value < 0.0 {
                return Err(BadInput::new(format!("cpu.{key}"), format!("{value} is below 0; {SHARES}")));
            }
        }
        if slope + intercept == 0.0 {
            return Err(BadInput::new("cpu", format!("is 0 at any rate; {SHARES}")));
        }
        return Ok(rates.iter().map(|rate| slope * rate + intercept).collect());
    }
    if let Some((name, share)) = given.iter().find(|(_, share)| **share <= 0.0) {
        return Err(BadInput::new(format!("cpu.{name}"), format!("{share} is not above 0; {SHARES}")));
    }
    if let Some(name) = given.keys().find(|name| !names.contains(name)) {
        return Err(BadInput::new(format!("cpu.{name}"), "is no element; remove it or correct its spelling"));
    }
    let share = |name: &String| {
        given.get(name).copied().ok_or_else(|| BadInput::new(format!("cpu.{name}"), "is missing; it is required"))
    };
    names.iter().map(share).collect()
}

fn cores(at: At) -> Result<Vec<Core>, BadInput> {
    const ANY: usize = usize::MAX / 2;
    let core = |id: CoreId, node: usize, room: f64, slots: usize| Core { id, node, room, slots };
    if at.number(..).is_ok() {
        let count = at.whole(MAX_OF as u32)?;
        if count == 0 {
            return Err(at.refuse("is 0; elements need a core"));
        }
        return Ok((0..count).map(|id| core(CoreId::Number(id), 0, 1.0, ANY)).collect());
    }
    let nodes = std::cell::RefCell::new(Vec::new());
    let found = at.list(1..=MAX_OF, |at| {
        let object = at.object(&["id", "node", "room", "slots"])?;
        let node = object.nullable("node", CoreId::read)?.unwrap_or(CoreId::Number(0));
        let mut nodes = nodes.borrow_mut();
        let index = nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            nodes.push(node);
            nodes.len() - 1
        });
        let room = object.optional("room", |at| at.number(0.0..=1.0))?.unwrap_or(1.0);
        let slots = object.optional("slots", |at| at.whole(u32::MAX))?.map_or(ANY, |slots| slots as usize);
        Ok(core(object.required("id", CoreId::read)?, index, room, slots))
    })?;
    for (index, one) in found.iter().enumerate() {
        if found[..index].iter().any(|other| other.id == one.id) {
            return Err(BadInput::new(format!("{}.{index}.id", "cores"), "is the id of another core, too"));
        }
    }
    Ok(found)
}

fn distances(at: At) -> Result<Distances, BadInput> {
    if at.number(..).is_ok() {
        let delay = number(at)?;
        return Ok(Distances { same_core: 0.0, same_node: delay, other_node: delay });
    }
    let object = at.object(&["same_core", "same_node", "other_node"])?;
    let same_node = object.required("same_node", number)?;
    Ok(Distances {
        same_core: object.optional("same_core", number)?.unwrap_or_default(),
        same_node,
        other_node: object.optional("other_node", number)?.unwrap_or(same_node),
    })
}
