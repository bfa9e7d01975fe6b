//! NUMASFP by worked examples from the paper, and its exact step against a search through everything.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};
use sextant_core::control::{Control, Limits};
use sextant_core::laws::numasfp::api::{Answer, answer, read};
use sextant_core::laws::numasfp::registry::DECLARATIONS;

fn ask(verb: &str, question: &Value) -> Result<Value, sextant_core::BadInput> {
    let asked = read(verb, question.to_string().as_bytes())?;
    answer(asked, &mut Control::unlimited()).map(|answer: Answer| serde_json::to_value(answer).unwrap())
}

fn both() -> Value {
    json!({"local": {"ways": 11, "mb_percent": 100, "cores": 4}, "remote": {"ways": 11, "mb_percent": 100, "cores": 4}})
}

/// Sec. III: at 7 Gbps max((3, 20), (2, 30)) on the local node, max((5, 30), (4, 40)) on the remote one.
#[test]
fn the_need_of_the_papers_chain() {
    let need = |node: &str, rule: &str, rate: f64| {
        let question = json!({"table": "paper-table-1", "chain": ["router", "basic-monitor"], "node": node,
            "rate_gbps": rate, "rule": rule});
        ask("allocate", &question).unwrap()
    };
    assert_eq!(need("local", "max", 7.0), json!({"ways": 3, "mb_percent": 30}));
    assert_eq!(need("remote", "max", 7.0), json!({"ways": 5, "mb_percent": 40}));
    assert_eq!(need("local", "sum", 7.0), json!({"ways": 3 + 2, "mb_percent": 20 + 30}));
    assert_eq!(need("remote", "max", 8.0), json!({"refused": "the table ends at 7 Gbps on that node"}));
}

fn figure_13(algorithm: &str) -> Value {
    let chain = json!(["router", "basic-monitor"]);
    let rates: Vec<Value> =
        (1..=14).map(|t| if t < 8 { json!({"sfc1": 10, "sfc2": 5}) } else { json!({"sfc1": 6, "sfc2": 10}) }).collect();
    json!({"table": "paper-table-1", "chains": {"sfc1": chain, "sfc2": chain}, "nodes": both(),
        "start": {"sfc1": "local", "sfc2": "remote"}, "rates": rates, "algorithm": algorithm})
}

fn totals(run: &Value) -> Vec<f64> {
    let total =
        |interval: &Value| interval["throughput_gbps"].as_object().unwrap().values().map(|v| v.as_f64().unwrap()).sum();
    run["intervals"].as_array().unwrap().iter().map(total).collect()
}

/// Fig. 13: 10 + 5; from 8 on 6 + 7, a remote node carries no more; violated at 8, 9, 10 and 11, and 4 > 3: 10 + 6.
#[test]
fn figure_13_swaps_at_11() {
    let run = ask("run", &figure_13("numasfp")).unwrap();
    let expected: Vec<f64> = (1..=14)
        .map(|t| {
            if t < 8 {
                15.0
            } else if t < 11 {
                13.0
            } else {
                16.0
            }
        })
        .collect();
    assert_eq!(totals(&run), expected);
    let at_11 = &run["intervals"][10];
    assert_eq!(at_11["migrated"], json!(["sfc2", "sfc1"]));
    assert_eq!(at_11["violations"], json!({"sfc1": 0, "sfc2": 4}));
    assert_eq!(at_11["placement"], json!({"sfc1": "remote", "sfc2": "local"}));
    assert_eq!(run["moves"], 2);
    assert_eq!(run["intervals"][9]["migrated"], Value::Null);
}

/// A static placement never recovers; the exact step does at once, by one move: (3, 30) and (5, 50) fit the local node
/// together. Half of the 10 Gbps is lost in the interval of that move.
#[test]
fn figure_13_of_others() {
    let still = totals(&ask("run", &figure_13("rate_sorted")).unwrap());
    assert_eq!((still[6], still[13]), (15.0, 13.0));
    let exact = totals(&ask("run", &figure_13("exact")).unwrap());
    assert_eq!((exact[6], exact[7]), (15.0, 16.0));
    let mut half = figure_13("exact");
    half["loss"] = json!(0.5);
    assert_eq!(totals(&ask("run", &half).unwrap())[7..9], [6.0 + 10.0 / 2.0, 16.0]);
}

/// 4 chains at 10 Gbps ask for 5 ways each, 11 are there: two in full, and one way is left.
#[test]
fn a_starved_chain_counts_as_small_only_as_printed() {
    let chains = json!({"a": ["router"], "b": ["router"], "c": ["router"], "r": ["router"]});
    let nodes = json!({"local": {"ways": 11, "mb_percent": 100, "cores": 3},
        "remote": {"ways": 11, "mb_percent": 100, "cores": 1}});
    let rates = vec![json!({"a": 10, "b": 10, "c": 6.5, "r": 10}); 5];
    let run = |algorithm: &str, c: f64| {
        let rates: Vec<Value> = rates
            .iter()
            .map(|now| {
                let mut now = now.clone();
                now["c"] = json!(c);
                now
            })
            .collect();
        ask(
            "run",
            &json!({"table": "paper-table-1", "chains": chains, "nodes": nodes, "rates": rates,
            "start": {"a": "local", "b": "local", "c": "local", "r": "remote"}, "algorithm": algorithm}),
        )
        .unwrap()
    };
    // c carries nothing, and 6.5 on the remote node in full; r does not fit the one way that c leaves: nobody swaps
    assert_eq!(run("numasfp", 6.5)["moves"], 0);
    assert_eq!(run("numasfp_extended", 6.5)["moves"], 0);
    assert_eq!(run("numasfp", 6.5)["intervals"][4]["violations"], json!({"a": 0, "b": 0, "c": 5, "r": 5}));
}

/// 12.5 Gbps are beyond the table: judged as 10, marked, and counted as offered.
#[test]
fn a_rate_beyond_the_table_is_clamped_and_marked() {
    let run = ask(
        "run",
        &json!({"table": "paper-table-1", "chains": {"a": ["router"]}, "nodes": both(),
        "rates": [{"a": 12.5}], "algorithm": "numasfp"}),
    )
    .unwrap();
    assert_eq!(run["intervals"][0]["clamped"], json!(["a"]));
    assert_eq!(run["intervals"][0]["violations"], json!({"a": 0}));
    assert_eq!(run["anat"], json!(10.0 / 12.5));
}

#[test]
fn what_is_doubtful_is_refused_by_its_field() {
    let good = figure_13("numasfp");
    let field = |change: &dyn Fn(&mut Value)| {
        let mut question = good.clone();
        change(&mut question);
        ask("run", &question).unwrap_err().field
    };
    assert_eq!(field(&|q| q["table"] = json!("table-2")), "table");
    assert_eq!(field(&|q| q["table"] = json!({"router": {"local": {"x": [1, 10]}}})), "table.router.local");
    assert_eq!(field(&|q| q["table"] = json!({"router": {"local": {"4": [1]}}})), "table.router.local.4");
    assert_eq!(field(&|q| q["chains"]["sfc1"] = json!(["nat"])), "chains.sfc1.0");
    assert_eq!(field(&|q| q["chains"] = json!({})), "chains");
    assert_eq!(field(&|q| q["nodes"] = json!({"remote": {"ways": 1, "mb_percent": 1, "cores": 9}})), "nodes");
    assert_eq!(field(&|q| q["nodes"]["local"]["cores"] = json!(-1)), "nodes.local.cores");
    assert_eq!(field(&|q| q["start"]["sfc1"] = json!("moon")), "start.sfc1");
    assert_eq!(field(&|q| q["rates"][3] = json!({"sfc1": 1})), "rates.3");
    assert_eq!(field(&|q| q["rates"][3]["sfc1"] = json!(-1)), "rates.3.sfc1");
    assert_eq!(field(&|q| q["rates"] = json!([])), "rates");
    assert_eq!(field(&|q| q["loss"] = json!(1.5)), "loss");
    assert_eq!(field(&|q| q["algorithm"] = json!("best")), "algorithm");
    assert_eq!(field(&|q| q["algorithm"] = json!("max_alloc")), "algorithm");
    assert_eq!(field(&|q| q["params"] = json!({"horizon": 0})), "params.horizon");
}

/// A seeded host; every table is drawn, so entries need not rise with their level.
fn drawn(seed: u64) -> Value {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut roll = |most: u64| dice.next_u64() % most;
    let names = ["local", "remote", "far"];
    let mut nodes = serde_json::Map::new();
    let alike = roll(2) == 0;
    for name in &names[..=(roll(3) as usize)] {
        let (ways, steps) = if alike { (7, 6) } else { (2 + roll(8), 2 + roll(7)) };
        nodes.insert((*name).into(), json!({"ways": ways, "mb_percent": 10 * steps, "cores": 4}));
    }
    let mut table = serde_json::Map::new();
    for nf in ["a", "b"] {
        let mut side = |levels: u64| {
            let level = |gbps: u64| ((2 * gbps).to_string(), json!([1 + roll(4), 10 * (1 + roll(4))]));
            (1..=levels).map(level).collect::<serde_json::Map<_, _>>()
        };
        let (local, remote) = (side(4), side(2));
        table.insert(nf.into(), json!({"local": local, "remote": remote}));
    }
    let (mut chains, mut rates, mut current) = (serde_json::Map::new(), serde_json::Map::new(), serde_json::Map::new());
    let placed: Vec<&String> = nodes.keys().collect();
    for index in 0..(1 + roll(4)).min(nodes.len() as u64 * 2) {
        let name = format!("c{index}");
        let nfs = [["a", "b"], ["b", "a"]][roll(2) as usize];
        chains.insert(name.clone(), json!(nfs[..=(roll(2) as usize)]));
        rates.insert(name.clone(), json!(roll(19) as f64 / 2.0));
        current.insert(name, json!(placed[index as usize % placed.len()]));
    }
    let current = if roll(4) == 0 { Value::Null } else { Value::Object(current) };
    json!({"table": table, "chains": chains, "nodes": nodes, "current": current, "rates_gbps": rates,
        "loss": roll(3) as f64 / 2.0, "horizon": 1 + roll(6),
        "most_moves": if roll(3) == 0 { json!(roll(3)) } else { Value::Null }})
}

/// Best objective in 10^-9 Gbps, and minus the moves: every node and every level of every chain. A move counts as one of
/// these a chain less, which is no less than what rounding adds up to.
fn brute(question: &Value) -> Option<(i64, i64)> {
    let chains: Vec<(&String, &Value)> = question["chains"].as_object().unwrap().iter().collect();
    let nodes = question["nodes"].as_object().unwrap();
    let mut room: Vec<(String, [i64; 3])> = nodes
        .iter()
        .map(|(name, node)| (name.clone(), ["ways", "mb_percent", "cores"].map(|of| node[of].as_i64().unwrap())))
        .collect();
    let best = every(question, &chains, &mut room, 0, question["most_moves"].as_i64().unwrap_or(99));
    best.map(|(counted, moves)| (counted - moves * chains.len() as i64, moves))
}

fn every(
    question: &Value,
    chains: &[(&String, &Value)],
    room: &mut [(String, [i64; 3])],
    so_far: i64,
    moves_left: i64,
) -> Option<(i64, i64)> {
    if moves_left < 0 {
        return None;
    }
    let Some(((name, types), rest)) = chains.split_first() else { return Some((so_far, 0)) };
    let rate = question["rates_gbps"][name.as_str()].as_f64().unwrap();
    let types: Vec<&str> = types.as_array().unwrap().iter().map(|nf| nf.as_str().unwrap()).collect();
    let most =
        |side: &str| types.iter().map(|nf| question["table"][nf][side].as_object().unwrap().len()).min().unwrap();
    let rate = rate.min(2.0 * most("local") as f64);
    let mut best = None;
    for node in 0..room.len() {
        let side = if room[node].0 == "local" { "local" } else { "remote" };
        let current = &question["current"];
        let moved = !current.is_null() && current[name.as_str()] != json!(room[node].0);
        let (loss, horizon) = (question["loss"].as_f64().unwrap(), question["horizon"].as_f64().unwrap());
        let weight = if moved { 1.0 - loss / horizon } else { 1.0 };
        for level in 0..=most(side) {
            let need = |of: usize| {
                let one = |nf: &&str| question["table"][nf][side][(2 * level).to_string()][of].as_i64().unwrap_or(0);
                types.iter().map(one).max().unwrap()
            };
            let takes = [need(0), need(1), types.len() as i64];
            if (0..3).any(|of| takes[of] > room[node].1[of]) {
                continue;
            }
            (0..3).for_each(|of| room[node].1[of] -= takes[of]);
            let value = (rate.min(2.0 * level as f64) * weight * 1e9).round() as i64;
            let value = value - i64::from(moved) * question["chains"].as_object().unwrap().len() as i64;
            let found = every(question, rest, room, so_far + value, moves_left - i64::from(moved));
            (0..3).for_each(|of| room[node].1[of] += takes[of]);
            best = best.max(found.map(|(value, moves)| (value, moves - i64::from(moved))));
        }
    }
    best
}

/// Seeds of the suite; `SEXTANT_NUMASFP_SEEDS` names more, as `make bench-numasfp` does.
#[test]
fn the_exact_step_is_as_good_as_trying_everything() {
    let seeds = std::env::var("SEXTANT_NUMASFP_SEEDS").map_or(400, |seeds| seeds.parse().unwrap());
    let mut answered = 0;
    for seed in 0..seeds {
        let question = drawn(seed);
        match (brute(&question), ask("step", &question)) {
            (Some((value, moves)), Ok(found)) => {
                let objective = (found["objective_gbps"].as_f64().unwrap() * 1e9).round() as i64;
                assert_eq!((objective, found["moves"].as_i64().unwrap()), (value, -moves), "seed {seed}: {question}");
                assert_eq!(worth(&question, &found), value, "seed {seed}: {question} {found}");
                answered += 1;
            }
            (None, Err(refused)) => assert!(["most_moves", "chains"].contains(&refused.field.as_str()), "{refused}"),
            (all, step) => panic!("seed {seed}: {question}: {all:?} {step:?}"),
        }
    }
    assert!(answered > seeds / 2, "{answered} of {seeds} had a placement");
}

/// What the allocation of an answer is worth by itself, once it is within the nodes.
fn worth(question: &Value, found: &Value) -> i64 {
    let mut value = 0;
    for (node, room) in question["nodes"].as_object().unwrap() {
        let here: Vec<&String> = found["placement"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, at)| *at == node)
            .map(|(name, _)| name)
            .collect();
        for of in ["ways", "mb_percent"] {
            let taken: i64 = here.iter().map(|name| found["allocation"][name.as_str()][of].as_i64().unwrap()).sum();
            assert!(taken <= room[of].as_i64().unwrap());
        }
        for name in here {
            let moved = !question["current"].is_null() && question["current"][name.as_str()] != json!(node);
            let lost = question["loss"].as_f64().unwrap() / question["horizon"].as_f64().unwrap();
            let weight = if moved { 1.0 - lost } else { 1.0 };
            let rate = question["rates_gbps"][name.as_str()].as_f64().unwrap();
            let carried = found["allocation"][name.as_str()]["gbps"].as_f64().unwrap().min(rate);
            value += (carried * weight * 1e9).round() as i64;
        }
    }
    value
}

/// Ten chains are enough for the stronger bound. Each of the 2^10 placements is asked for by itself, with no move allowed.
#[test]
fn a_long_search_is_as_good_as_trying_every_placement() {
    let node = json!({"ways": 11, "mb_percent": 100, "cores": 10});
    let name = |chain: usize| format!("c{chain}");
    let at = |places: u64| -> serde_json::Map<String, Value> {
        (0..10).map(|chain| (name(chain), json!(if places >> chain & 1 == 1 { "remote" } else { "local" }))).collect()
    };
    for seed in 0..3 {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let types = ["router", "basic-monitor"];
        let chains: serde_json::Map<String, Value> =
            (0..10).map(|chain| (name(chain), json!([types[(dice.next_u64() % 2) as usize]]))).collect();
        let rates: serde_json::Map<String, Value> =
            (0..10).map(|chain| (name(chain), json!((1 + dice.next_u64() % 100) as f64 / 10.0))).collect();
        let stands = dice.next_u64() % 1024;
        let from = |places: u64, most_moves: Value| {
            let question = json!({"table": "paper-table-1", "chains": chains, "rates_gbps": rates, "loss": 0.0,
                "nodes": {"local": node, "remote": node}, "current": at(places), "most_moves": most_moves});
            let found = ask("step", &question).unwrap();
            ((found["objective_gbps"].as_f64().unwrap() * 1e9).round() as i64, found["moves"].as_i64().unwrap())
        };
        let all = (0..1024).map(|places| (from(places, json!(0)).0, -i64::from((places ^ stands).count_ones())));
        let (value, moves) = all.max().unwrap();
        assert_eq!(from(stands, Value::Null), (value, -moves), "seed {seed}");
    }
}

/// Two moves carry 4 + 7 + (9 + 9) x 11 / 12 = 27.5 Gbps, and four (4 + 7 + 10 + 9) x 11 / 12 = 27.5, too: three of the four
/// end on thirds of 10^-9, and their roundings add up to one.
#[test]
fn what_rounding_adds_is_worth_no_move() {
    let (router, monitor) = (json!(["router"]), json!(["basic-monitor"]));
    let question = json!({"table": "paper-table-1", "loss": 0.5, "horizon": 6,
        "chains": {"c0": router, "c1": monitor, "c2": ["basic-monitor", "router", "basic-monitor"], "c3": monitor},
        "nodes": {"local": {"ways": 11, "mb_percent": 90, "cores": 12},
            "remote": {"ways": 4, "mb_percent": 150, "cores": 6}},
        "current": {"c0": "remote", "c1": "local", "c2": "remote", "c3": "remote"},
        "rates_gbps": {"c0": 4, "c1": 7.07, "c2": 10, "c3": 9}});
    let found = ask("step", &question).unwrap();
    assert_eq!((found["objective_gbps"].as_f64(), found["moves"].as_u64()), (Some(27.5), Some(2)), "{found}");
}

/// Equal rates and no loss: nothing is gained by moving, so nothing moves.
#[test]
fn fewest_moves_among_equals() {
    let question = json!({"table": "paper-table-1", "chains": {"a": ["router"], "b": ["router"]}, "nodes": both(),
        "current": {"a": "remote", "b": "remote"}, "rates_gbps": {"a": 4, "b": 4}});
    assert_eq!(ask("step", &question).unwrap()["moves"], 0);
}

/// 20 chains on 3 nodes with a limit of one evaluation: the first placement found, marked as unproven.
#[test]
fn a_limit_ends_the_search_with_its_best() {
    let chains: serde_json::Map<String, Value> = (0..20).map(|c| (format!("c{c}"), json!(["router"]))).collect();
    let rates: serde_json::Map<String, Value> = (0..20).map(|c| (format!("c{c}"), json!(3 + c % 7))).collect();
    let node = json!({"ways": 11, "mb_percent": 100, "cores": 20});
    let question = json!({"table": "paper-table-1", "chains": chains, "rates_gbps": rates,
        "nodes": {"local": node, "remote": node, "far": node}});
    let limits = Limits { evaluations: Some(1), time: None };
    let asked = read("step", question.to_string().as_bytes()).unwrap();
    let found = serde_json::to_value(answer(asked, &mut Control::new(limits, None)).unwrap()).unwrap();
    assert_eq!(found["proven"], false);
    assert_eq!(found["placement"].as_object().unwrap().len(), 20);
}

/// Whatever knows no future carries no more than what knows all of it, and some carry less.
#[test]
fn nothing_passes_the_clairvoyant() {
    let chain = json!(["router", "basic-monitor"]);
    let chains: serde_json::Map<String, Value> = (0..4).map(|c| (format!("c{c}"), chain.clone())).collect();
    let node = json!({"ways": 11, "mb_percent": 100, "cores": 8});
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(7);
    let rates: Vec<Value> = (0..30)
        .map(|_| {
            Value::Object(chains.keys().map(|c| (c.clone(), json!((dice.next_u64() % 20) as f64 / 2.0))).collect())
        })
        .collect();
    let anat = |algorithm: &str, loss: f64| {
        let question = json!({"table": "paper-table-1", "chains": chains, "rates": rates, "algorithm": algorithm,
            "nodes": {"local": node, "remote": node}, "loss": loss});
        ask("run", &question).unwrap()["anat"].as_f64().unwrap()
    };
    let carried = |algorithm: &str, loss: f64| {
        let question = json!({"table": "paper-table-1", "chains": chains, "rates": rates, "algorithm": algorithm,
            "nodes": {"local": node, "remote": node}, "loss": loss});
        totals(&ask("run", &question).unwrap()).iter().sum::<f64>()
    };
    for loss in [0.05, 0.5] {
        let bound = carried("clairvoyant", loss);
        for algorithm in ["exact", "numasfp", "numasfp_extended", "node_first", "node_balance", "rate_sorted"] {
            assert!(carried(algorithm, loss) <= bound + 1e-6, "{algorithm} at {loss}");
        }
        assert!(carried("node_balance", loss) < bound - 1.0);
        assert!(anat("clairvoyant", loss) <= 1.0);
    }
}

#[test]
fn each_algorithm_is_declared_once() {
    let mut names: Vec<&str> = DECLARATIONS.iter().map(|declared| declared.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), DECLARATIONS.len());
    assert!(DECLARATIONS.iter().all(|declared| declared.summary.len() <= 90 && !declared.summary.ends_with('.')));
}
