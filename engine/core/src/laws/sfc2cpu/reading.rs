//! Problems out of JSON. What is doubtful is refused by its field.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Bound;

use crate::error::BadInput;
use crate::fields::{At, Object};
use crate::laws::sfc2cpu::problem::{Assignment, Core, CoreId, Problem, Traffic};

/// Most VNFs of a problem, and most cores.
pub const MAX_OF: usize = 512;
/// Most cycles of a packet, most packets a second, most cycles a second.
pub const MAX_NUMBER: f64 = 1e12;
/// Most of a load that is given as such.
const MAX_LOAD: f64 = 1e6;
const POSITIVE: (Bound<f64>, Bound<f64>) = (Bound::Excluded(0.0), Bound::Included(MAX_NUMBER));
const SHARE_OF_TIME: (Bound<f64>, Bound<f64>) = (Bound::Excluded(0.0), Bound::Included(1.0));

/// `vnfs`, `chains`, `clock_hz`, `cores`, `gamma`, `placed`, `stays` and `max_moves`; or `loads` in the place of the first
/// three.
pub fn problem(object: &Object) -> Result<Problem, BadInput> {
    let (cores, slots): (Vec<Core>, Vec<usize>) = object.required("cores", cores)?.into_iter().unzip();
    let traffic = traffic(object)?;
    let loads = if let Some(traffic) = &traffic {
        object.optional("loads", |at| Err::<(), _>(at.refuse("does not go with vnfs; remove one of them")))?;
        let demand = |(cycles, rate): (&f64, &f64)| cycles * rate / traffic.clock_hz;
        traffic.cycles.iter().zip(&traffic.rates).map(demand).collect()
    } else {
        for key in ["chains", "clock_hz", "gamma", "model"] {
            object.optional(key, |at| Err::<(), _>(at.refuse("does not go with loads; give vnfs")))?;
        }
        object.required("loads", |at| at.list(1..=MAX_OF, |at| at.number(0.0..=MAX_LOAD)))?
    };
    let gamma = object.optional("gamma", |at| at.number(SHARE_OF_TIME))?.unwrap_or(1.0);
    let placed = object.nullable("placed", |at| placed(at, loads.len(), &cores))?;
    let placed = placed.unwrap_or_else(|| vec![None; loads.len()]);
    let stays = object.nullable("stays", |at| stays(at, &placed))?.unwrap_or_else(|| vec![false; loads.len()]);
    let max_moves = object.nullable("max_moves", |at| at.whole(MAX_OF as u32))?.unwrap_or_default() as usize;
    let slots = sufficient(slots, &placed)?;
    Ok(Problem { loads, traffic, cores, gamma, slots, placed, stays, max_moves })
}

/// Slots that what stands has anyway; refused where newcomers find too few.
fn sufficient(mut slots: Vec<usize>, placed: &[Option<usize>]) -> Result<Vec<usize>, BadInput> {
    let mut standing = vec![0; slots.len()];
    placed.iter().flatten().for_each(|&core| standing[core] += 1);
    slots.iter_mut().zip(&standing).for_each(|(slots, standing)| *slots = (*slots).max(*standing));
    let free = slots.iter().zip(&standing).fold(0usize, |sum, (slots, standing)| sum.saturating_add(slots - standing));
    let new = placed.iter().filter(|core| core.is_none()).count();
    if free < new {
        return Err(BadInput::new("cores", format!("have slots for {free} more VNFs; {new} are to be assigned")));
    }
    Ok(slots)
}

/// None: no VNFs are given, but loads.
fn traffic(object: &Object) -> Result<Option<Traffic>, BadInput> {
    if object.optional("loads", |_| Ok(()))?.is_some() && object.optional("vnfs", |_| Ok(()))?.is_none() {
        return Ok(None);
    }
    let vnfs = object.required("vnfs", |at| at.list(1..=MAX_OF, vnf))?;
    let clock_hz = object.required("clock_hz", |at| at.number(1.0..=MAX_NUMBER))?;
    let chains = object.nullable("chains", |at| chains(at, vnfs.len()))?;
    let chains = chains.unwrap_or_else(|| (0..vnfs.len()).map(|vnf| vec![vnf]).collect());
    Ok(Some(Traffic {
        cycles: vnfs.iter().map(|vnf| vnf.0).collect(),
        rates: vnfs.iter().map(|vnf| vnf.1).collect(),
        kinds: vnfs.into_iter().map(|vnf| vnf.2).collect(),
        chains,
        clock_hz,
    }))
}

fn vnf(at: At) -> Result<(f64, f64, Option<String>), BadInput> {
    let object = at.object(&["cycles", "rate_pps", "kind"])?;
    let positive = |at: At| at.number(POSITIVE);
    let kind = object.nullable("kind", |at| at.id())?;
    Ok((object.required("cycles", positive)?, object.required("rate_pps", positive)?, kind))
}

/// Every VNF in one chain, once.
fn chains(at: At, vnfs: usize) -> Result<Vec<Vec<usize>>, BadInput> {
    let taken = RefCell::new(vec![false; vnfs]);
    let found = at.list(1..=MAX_OF, |at| {
        at.list(1..=MAX_OF, |at| {
            let vnf = at.whole(vnfs as u32 - 1)? as usize;
            if std::mem::replace(&mut taken.borrow_mut()[vnf], true) {
                return Err(at.refuse(format!("VNF {vnf} is in a chain already; a VNF is in one, once")));
            }
            Ok(vnf)
        })
    })?;
    match taken.into_inner().iter().position(|taken| !taken) {
        Some(vnf) => Err(BadInput::new("chains", format!("VNF {vnf} is in none of them"))),
        None => Ok(found),
    }
}

fn placed(at: At, vnfs: usize, cores: &[Core]) -> Result<Vec<Option<usize>>, BadInput> {
    let given: BTreeMap<String, CoreId> = at.map(MAX_OF, CoreId::read)?;
    let mut placed = vec![None; vnfs];
    for (key, id) in given {
        let refuse = |message: String| BadInput::new(format!("placed.{key}"), message);
        let vnf = key.parse::<usize>().ok().filter(|vnf| *vnf < vnfs && vnf.to_string() == key);
        let vnf = vnf.ok_or_else(|| refuse(format!("its key is no VNF; they are 0 to {}", vnfs - 1)))?;
        let core = cores.iter().position(|core| core.id == id);
        placed[vnf] = Some(core.ok_or_else(|| refuse("is none of the cores".into()))?);
    }
    Ok(placed)
}

fn stays(at: At, placed: &[Option<usize>]) -> Result<Vec<bool>, BadInput> {
    let stays = RefCell::new(vec![false; placed.len()]);
    at.list(0..=placed.len(), |at| {
        let vnf = at.whole(placed.len() as u32 - 1)? as usize;
        if placed[vnf].is_none() {
            return Err(at.refuse(format!("VNF {vnf} is not placed; what is new cannot stay")));
        }
        stays.borrow_mut()[vnf] = true;
        Ok(())
    })?;
    Ok(stays.into_inner())
}

/// The core of each VNF, by its name.
pub fn assignment(at: At, problem: &Problem) -> Result<Assignment, BadInput> {
    let vnfs = problem.loads.len();
    at.list(vnfs..=vnfs, |at| {
        let id = CoreId::read(at)?;
        let core = problem.cores.iter().position(|core| core.id == id);
        core.ok_or_else(|| at.refuse("is none of the cores"))
    })
}

/// A number of them, or their list; with the VNFs that each takes.
pub fn cores(at: At) -> Result<Vec<(Core, usize)>, BadInput> {
    if at.number(..).is_ok() {
        let count = at.whole(MAX_OF as u32)?;
        if count == 0 {
            return Err(at.refuse("is 0; VNFs need a core"));
        }
        return Ok((0..count).map(|id| (Core { id: CoreId::Number(id), socket: 0 }, usize::MAX)).collect());
    }
    let sockets = RefCell::new(Vec::new());
    let found = RefCell::new(Vec::<(Core, usize)>::new());
    at.list(1..=MAX_OF, |at| {
        let object = at.object(&["id", "socket", "slots"])?;
        let slots = object.nullable("slots", |at| at.whole(MAX_OF as u32))?.map_or(usize::MAX, |slots| slots as usize);
        let socket = object.nullable("socket", CoreId::read)?.unwrap_or(CoreId::Number(0));
        let mut sockets = sockets.borrow_mut();
        let index = sockets.iter().position(|known| *known == socket).unwrap_or_else(|| {
            sockets.push(socket);
            sockets.len() - 1
        });
        let known = |id: &CoreId| found.borrow().iter().any(|(core, _)| core.id == *id);
        let id = object.required("id", |at| {
            let id = CoreId::read(at)?;
            if known(&id) { Err(at.refuse("is the id of another core, too")) } else { Ok(id) }
        })?;
        found.borrow_mut().push((Core { id, socket: index }, slots));
        Ok(())
    })?;
    Ok(found.into_inner())
}
