//! The look-up table (NUMASFP, Table I): for each NF type, kind of node and level of throughput the least resources.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::BadInput;
use crate::fields::At;

/// The name of the table that is shipped.
pub const PAPER: &str = "paper-table-1";
/// Most NF types of a table.
pub const MAX_TYPES: usize = 256;
/// Most levels of a type on one kind of node.
pub const MAX_LEVELS: usize = 64;
/// Most ways that an entry names.
pub const MAX_WAYS: u32 = 64;
/// Most bandwidth that an entry names, %.
pub const MAX_PERCENT: u32 = 100;
/// Highest rate and level, Gbps.
pub const MAX_GBPS: f64 = 1e6;
/// A level covers a rate that is higher by no more than this, Gbps.
pub const CLOSE_GBPS: f64 = 1e-9;

/// A kind of node: `local` holds the NICs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Where the NICs are attached.
    Local,
    /// Any other node.
    Remote,
}

/// How the needs of a chain's NFs make that of the chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rule {
    /// `Max_alloc`: the NFs share one group, so the greatest need of each resource serves all (Sec. III).
    #[default]
    Max,
    /// `Sum_alloc`: every NF has a group of its own.
    Sum,
}

/// A level of throughput and what it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Level {
    /// Throughput that is reached.
    pub gbps: f64,
    /// Cache ways.
    pub ways: u32,
    /// Memory bandwidth, %.
    pub mb_percent: u32,
}

/// The levels of an NF type, rising.
#[derive(Debug, Clone, Default, PartialEq)]
struct Sides {
    local: Vec<Level>,
    remote: Vec<Level>,
}

/// A look-up table by NF type.
#[derive(Debug, Clone, PartialEq)]
pub struct Table(BTreeMap<String, Sides>);

impl Table {
    /// Table I of the paper; 1-4 and 6-7 Gbps are one level each, 4 and 7.
    pub fn paper() -> Self {
        let side = |rows: &[(u32, u32, u32)]| {
            let level = |&(gbps, ways, mb_percent): &(u32, u32, u32)| Level { gbps: f64::from(gbps), ways, mb_percent };
            rows.iter().map(level).collect()
        };
        let router = Sides {
            local: side(&[(4, 2, 10), (5, 2, 20), (7, 3, 20), (8, 3, 30), (9, 4, 30), (10, 5, 40)]),
            remote: side(&[(4, 3, 20), (5, 3, 30), (7, 5, 30)]),
        };
        let monitor = Sides {
            local: side(&[(4, 2, 10), (5, 2, 20), (7, 2, 30), (8, 4, 30), (9, 4, 30), (10, 4, 50)]),
            remote: side(&[(4, 3, 20), (5, 3, 30), (7, 4, 40)]),
        };
        Self([("router".to_owned(), router), ("basic-monitor".to_owned(), monitor)].into())
    }

    /// The table in JSON: the name of the shipped one, or `{type: {"local": {level: [ways, %]}, "remote": ...}}`.
    pub fn read(at: At) -> Result<Self, BadInput> {
        match at.text() {
            Ok(PAPER) => Ok(Self::paper()),
            Ok(other) => {
                Err(at.refuse(format!("'{other}' is no table that is shipped; it can be '{PAPER}', or given")))
            }
            Err(_) => at.map(MAX_TYPES, sides).map(Self),
        }
    }

    /// The levels that a chain can be granted on a kind of node, rising. For each level that one of its NFs knows, every
    /// NF needs its own least level that covers it; none above what its weakest NF reaches. `at`: the field of an NF.
    pub fn levels(
        &self,
        types: &[String],
        side: Side,
        rule: Rule,
        at: impl Fn(usize) -> String,
    ) -> Result<Vec<Level>, BadInput> {
        let mut of_nfs = Vec::with_capacity(types.len());
        for (index, name) in types.iter().enumerate() {
            let known = self.0.get(name).ok_or_else(|| {
                BadInput::new(at(index), format!("'{name}' is not in the table; profile it, or add its entry"))
            })?;
            of_nfs.push(match side {
                Side::Local => &known.local,
                Side::Remote => &known.remote,
            });
        }
        let mut steps: Vec<f64> = of_nfs.iter().flat_map(|levels| levels.iter().map(|level| level.gbps)).collect();
        steps.sort_by(f64::total_cmp);
        steps.dedup();
        Ok(steps.into_iter().map_while(|gbps| need(&of_nfs, gbps, rule)).collect())
    }
}

/// What the NFs need together for a level; None: one of them does not reach it.
fn need(of_nfs: &[&Vec<Level>], gbps: f64, rule: Rule) -> Option<Level> {
    let mut total = Level { gbps, ways: 0, mb_percent: 0 };
    for levels in of_nfs {
        let one = levels.iter().find(|level| level.gbps >= gbps)?;
        match rule {
            Rule::Max => {
                total.ways = total.ways.max(one.ways);
                total.mb_percent = total.mb_percent.max(one.mb_percent);
            }
            Rule::Sum => {
                total.ways += one.ways;
                total.mb_percent += one.mb_percent;
            }
        }
    }
    Some(total)
}

/// The least level that covers a rate; None: no level does.
pub fn covering(levels: &[Level], rate: f64) -> Option<usize> {
    levels.iter().position(|level| level.gbps + CLOSE_GBPS >= rate)
}

/// The highest level, 0 where there is none.
pub fn cap(levels: &[Level]) -> f64 {
    levels.last().map_or(0.0, |level| level.gbps)
}

/// `local` or `remote`.
pub fn side(at: At) -> Result<Side, BadInput> {
    match at.text()? {
        "local" => Ok(Side::Local),
        "remote" => Ok(Side::Remote),
        _ => Err(at.refuse("is neither 'local' nor 'remote'")),
    }
}

/// `max` or `sum`.
pub fn rule(at: At) -> Result<Rule, BadInput> {
    match at.text()? {
        "max" => Ok(Rule::Max),
        "sum" => Ok(Rule::Sum),
        _ => Err(at.refuse("is neither 'max' nor 'sum'")),
    }
}

fn sides(at: At) -> Result<Sides, BadInput> {
    let object = at.object(&["local", "remote"])?;
    Ok(Sides {
        local: object.required("local", levels)?,
        remote: object.optional("remote", levels)?.unwrap_or_default(),
    })
}

fn levels(at: At) -> Result<Vec<Level>, BadInput> {
    let entries: Vec<(String, Vec<u32>)> =
        at.map(MAX_LEVELS, |at| at.list(2..=2, |at| at.whole(MAX_WAYS.max(MAX_PERCENT))))?;
    let mut found = Vec::with_capacity(entries.len());
    for (key, pair) in entries {
        let gbps = key.parse::<f64>().ok().filter(|gbps| *gbps > 0.0 && *gbps <= MAX_GBPS).ok_or_else(|| {
            at.refuse(format!("its key '{key}' is not a level in Gbps, a number above 0 and at most {MAX_GBPS}"))
        })?;
        let (ways, mb_percent) = (pair[0], pair[1]);
        if ways > MAX_WAYS || mb_percent > MAX_PERCENT {
            let most = format!("[ways, MB %] of at most [{MAX_WAYS}, {MAX_PERCENT}]");
            return Err(at.refuse(format!("its level {key} has [{ways}, {mb_percent}], not {most}")));
        }
        found.push(Level { gbps, ways, mb_percent });
    }
    found.sort_by(|one, other| one.gbps.total_cmp(&other.gbps));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].gbps == pair[1].gbps) {
        return Err(at.refuse(format!("has the level {} twice; keep one", pair[0].gbps)));
    }
    Ok(found)
}
