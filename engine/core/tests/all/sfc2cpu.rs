//! sfc2cpu's exact assignment against a search through everything.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sextant_core::control::Control;
use sextant_core::laws::sfc2cpu::assigning::{By, assign};
use sextant_core::laws::sfc2cpu::heuristics::longest_first;
use sextant_core::laws::sfc2cpu::ideal::literal;
use sextant_core::laws::sfc2cpu::min_max;
use sextant_core::laws::sfc2cpu::problem::{Core, CoreId, Problem, Traffic, greatest};
use sextant_core::laws::sfc2cpu::registry::{ASSIGNERS, Assigner};

/// VNFs of the loads, all of them new.
fn problem(loads: Vec<f64>, cores: usize) -> Problem {
    let core = |id| Core { id: CoreId::Number(id), socket: 0 };
    Problem {
        slots: vec![usize::MAX; cores],
        placed: vec![None; loads.len()],
        stays: vec![false; loads.len()],
        loads,
        traffic: None,
        cores: (0..cores as u32).map(core).collect(),
        gamma: 1.0,
        max_moves: 0,
    }
}

/// Some of them equal, so that ties come.
fn drawn(dice: &mut Xoshiro256PlusPlus) -> Problem {
    let mut upto = |most: u64| dice.next_u64() % most;
    let (vnfs, cores) = (1 + upto(7), 1 + upto(4));
    let loads = (0..vnfs).map(|_| if upto(3) == 0 { 0.25 } else { (1 + upto(1000)) as f64 / 1000.0 }).collect();
    problem(loads, cores as usize)
}

/// The least greatest load of all assignments.
fn brute(problem: &Problem, vnf: usize, loads: &mut [f64], best: f64) -> f64 {
    if greatest(loads) >= best {
        return best;
    }
    let Some(load) = problem.loads.get(vnf) else { return greatest(loads) };
    let mut least = best;
    for core in 0..loads.len() {
        let before = loads[core];
        loads[core] += load;
        least = brute(problem, vnf + 1, loads, least);
        loads[core] = before;
    }
    least
}

#[test]
fn min_max_is_the_least_of_all_and_no_worse_than_lpt() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(21);
    for _ in 0..10_000 {
        let problem = drawn(&mut dice);
        let found = min_max::assign(&problem, &mut Control::unlimited());
        let least = brute(&problem, 0, &mut vec![0.0; problem.cores.len()], f64::INFINITY);
        assert!((found.max_load - least).abs() <= 1e-9, "{problem:?}: {found:?}, not {least}");
        assert_eq!(found.bound, found.max_load);
        assert!((greatest(&problem.core_loads(&found.assignment)) - found.max_load).abs() <= 1e-9);
        assert!(found.max_load <= greatest(&problem.core_loads(&longest_first(&problem))) + 1e-12);
    }
}

/// Some stand, some of those stay, and cores take one to three VNFs, or as many as stand there.
fn crowded(dice: &mut Xoshiro256PlusPlus) -> Problem {
    let given = drawn(dice);
    let mut upto = |most: usize| (dice.next_u64() % most as u64) as usize;
    let (vnfs, cores) = (given.loads.len(), given.cores.len());
    let placed: Vec<Option<usize>> = (0..vnfs).map(|_| if upto(3) == 0 { Some(upto(cores)) } else { None }).collect();
    let standing = |core: usize| placed.iter().filter(|home| **home == Some(core)).count();
    let mut slots: Vec<usize> = (0..cores).map(|core| (1 + upto(3)).max(standing(core))).collect();
    while slots.iter().sum::<usize>() < vnfs {
        slots[upto(cores)] += 1;
    }
    let stays = placed.iter().map(|home| home.is_some() && upto(3) == 0).collect();
    Problem { slots, placed, stays, max_moves: upto(3), ..given }
}

/// The least greatest load of all assignments that are allowed.
fn least_allowed(problem: &Problem, at: &mut Vec<usize>) -> f64 {
    if at.len() == problem.loads.len() {
        return if problem.allows(at) { greatest(&problem.core_loads(at)) } else { f64::INFINITY };
    }
    let mut least = f64::INFINITY;
    for core in 0..problem.cores.len() {
        at.push(core);
        least = least.min(least_allowed(problem, at));
        at.pop();
    }
    least
}

/// And whatever else assigns keeps within slots and moves, too.
#[test]
fn slots_moves_and_what_stays_are_kept() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(22);
    for _ in 0..3_000 {
        let problem = crowded(&mut dice);
        let found = min_max::assign(&problem, &mut Control::unlimited());
        assert!(problem.allows(&found.assignment), "{problem:?}: {found:?}");
        let least = least_allowed(&problem, &mut vec![]);
        assert!((found.max_load - least).abs() <= 1e-9, "{problem:?}: {found:?}, not {least}");
        for (name, rule) in ASSIGNERS.into_iter().filter(|(_, rule)| *rule != Assigner::Calibrated) {
            let by = if rule == Assigner::Throughput { By::Throughput } else { By::Loads(rule) };
            let traffic = Traffic {
                cycles: problem.loads.clone(),
                rates: vec![1.0; problem.loads.len()],
                kinds: vec![None; problem.loads.len()],
                chains: (0..problem.loads.len()).map(|vnf| vec![vnf]).collect(),
                clock_hz: 1.0,
            };
            let problem = Problem { traffic: Some(traffic), gamma: 0.5, ..problem.clone() };
            let found = assign(&problem, &by, 1, &mut Control::unlimited());
            assert!(problem.allows(&found.assignment), "{name}: {problem:?}: {found:?}");
        }
    }
}

/// Sum of squares of what cores are asked for.
fn unevenness(problem: &Problem, at: &[usize]) -> f64 {
    problem.core_loads(at).iter().map(|load| load * load).sum()
}

/// Every assignment that one move, or one exchange, makes of this one.
fn beside(at: &[usize], cores: usize) -> Vec<Vec<usize>> {
    let mut found = vec![];
    for one in 0..at.len() {
        for core in 0..cores {
            let mut moved = at.to_vec();
            moved[one] = core;
            found.push(moved);
        }
        for other in one + 1..at.len() {
            let mut exchanged = at.to_vec();
            exchanged.swap(one, other);
            found.push(exchanged);
        }
    }
    found
}

/// Chains of two VNFs and of one, all of one rate.
fn with_traffic(problem: Problem, gamma: f64) -> Problem {
    let vnfs: Vec<usize> = (0..problem.loads.len()).collect();
    let traffic = Traffic {
        cycles: problem.loads.clone(),
        rates: vec![1.0; vnfs.len()],
        kinds: vec![None; vnfs.len()],
        chains: vnfs.chunks(2).map(<[usize]>::to_vec).collect(),
        clock_hz: 1.0,
    };
    Problem { traffic: Some(traffic), gamma, ..problem }
}

/// Whether cores are full or not: no step from the answer serves as many packets, asks the fullest core for no more,
/// moves no more of what stands, and spreads loads more evenly.
#[test]
fn of_equals_by_packets_fullest_core_and_moves_throughput_takes_the_evenest() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(23);
    let mut evener_than_min_max = 0;
    for round in 0..2_000 {
        let problem = with_traffic(crowded(&mut dice), if round % 2 == 0 { 1.0 } else { 4.0 });
        let at = assign(&problem, &By::Throughput, 1, &mut Control::unlimited()).assignment;
        let traffic = problem.traffic.as_ref().unwrap();
        let of = |at: &[usize]| {
            let served = literal(problem.demand(), traffic, at).total_pps;
            (served, greatest(&problem.core_loads(at)), problem.moves(at), unevenness(&problem, at))
        };
        let (served, fullest, moves, uneven) = of(&at);
        for other in beside(&at, problem.cores.len()).into_iter().filter(|other| problem.allows(other)) {
            let better = of(&other);
            let equal = better.0 >= served - 1e-9 && better.1 <= fullest + 1e-9 && better.2 <= moves;
            assert!(!equal || better.3 >= uneven - 1e-8, "{problem:?}: {at:?}, but {other:?}");
        }
        let flattest = min_max::assign(&problem, &mut Control::unlimited());
        if flattest.max_load <= problem.gamma {
            let least = (greatest(&problem.core_loads(&flattest.assignment)), problem.moves(&flattest.assignment));
            assert!((fullest - least.0).abs() <= 1e-9 && moves <= least.1, "{problem:?}: {at:?}, not {flattest:?}");
            let before = unevenness(&problem, &flattest.assignment);
            assert!(uneven <= before + 1e-9, "{problem:?}: {at:?}, not {flattest:?}");
            evener_than_min_max += usize::from(uneven < before - 1e-6);
        }
    }
    assert!(evener_than_min_max > 0);
}
