//! Many hosts whose clocks are moved together; hosts of one model share its data.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{BadInput, WHOLE};
use crate::faults::FaultOrder;
use crate::host_report::Report;
use crate::machine::Machine;
use crate::order::{Given, Order};
use crate::step::Host;

/// Most hosts.
pub const MAX_HOSTS: usize = 100_000;
/// Longest name of a host, bytes.
const MAX_NAME: usize = 200;

/// Hosts by name.
#[derive(Debug, Default)]
pub struct Fleet {
    hosts: BTreeMap<String, Host>,
    machines: Vec<Arc<Machine>>,
}

impl Fleet {
    /// Add a host on which nothing runs; see `Host::new`.
    pub fn add(&mut self, name: &str, machine: Machine, seed: u64, tick_s: f64) -> Result<(), BadInput> {
        let refuse = |message: String| Err(BadInput::new("host", message));
        if name.is_empty() || name.len() > MAX_NAME {
            return refuse(format!("is not a name of 1 to {MAX_NAME} bytes"));
        }
        if self.hosts.contains_key(name) {
            return refuse(format!("'{name}' is there already; remove it first"));
        }
        if self.hosts.len() >= MAX_HOSTS {
            return refuse(format!("there are {MAX_HOSTS} hosts, and no more can be"));
        }
        let known = self.machines.iter().find(|known| ***known == machine).cloned();
        let machine = known.unwrap_or_else(|| Arc::new(machine));
        let host = Host::new(Arc::clone(&machine), seed ^ crate::dice::stream(name), tick_s)?;
        if !self.machines.iter().any(|known| Arc::ptr_eq(known, &machine)) {
            self.machines.push(machine);
        }
        self.hosts.insert(name.to_owned(), host);
        Ok(())
    }

    /// Take a host away.
    pub fn remove(&mut self, name: &str) -> Result<(), BadInput> {
        self.host(name)?;
        self.hosts.remove(name);
        self.machines.retain(|machine| Arc::strong_count(machine) > 1);
        Ok(())
    }

    /// Move all clocks; see `Host::step`.
    pub fn step(&mut self, dt_s: f64) -> Result<(), BadInput> {
        self.hosts.values_mut().try_for_each(|host| host.step(dt_s))
    }

    /// See `Host::order`. The machine of a host is checked against too.
    pub fn order(&mut self, name: &str, order: Order) -> Result<(), BadInput> {
        self.host(name)?.order(order)
    }

    /// See `Host::give`.
    pub fn give(&mut self, name: &str, given: &[Given]) -> Result<(), BadInput> {
        self.host(name)?.give(given)
    }

    /// See `Host::fault`.
    pub fn fault(&mut self, name: &str, fault: FaultOrder) -> Result<(), BadInput> {
        self.host(name)?.fault(fault)
    }

    /// See `Host::start`.
    pub fn start(&mut self, name: &str, instance: &str) -> Result<(), BadInput> {
        self.host(name)?.start(instance)
    }

    /// What a host says of itself.
    pub fn report(&self, name: &str) -> Result<Report, BadInput> {
        self.hosts.get(name).map(Host::report).ok_or_else(|| unknown(name))
    }

    fn host(&mut self, name: &str) -> Result<&mut Host, BadInput> {
        self.hosts.get_mut(name).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> BadInput {
    let shown: String = name.chars().take(MAX_NAME).collect();
    BadInput::new(WHOLE, format!("there is no host '{shown}'"))
}

#[cfg(test)]
mod tests {
    use super::Fleet;
    use crate::examples::{alone, machine};
    use crate::order::Order;

    fn order() -> Order {
        Order { setting: alone(1e6), ..Order::default() }
    }

    /// Equal seeds draw differently on hosts of different names, and equally on the same in another fleet.
    #[test]
    fn a_fleet_is_its_seeds_and_names() {
        let made = || {
            let mut fleet = Fleet::default();
            for name in ["one", "two"] {
                fleet.add(name, machine(), 1, 0.1).unwrap();
                fleet.order(name, order()).unwrap();
            }
            fleet.step(5.0).unwrap();
            ["one", "two"].map(|name| fleet.report(name).unwrap())
        };
        let ([one, two], [again, _]) = (made(), made());
        assert_eq!(one, again);
        assert_ne!(one.instances[0].cycles, two.instances[0].cycles);
        assert_eq!(one.chains[0].delivered, two.chains[0].delivered);
    }

    #[test]
    fn hosts_are_refused_by_name() {
        let mut fleet = Fleet::default();
        fleet.add("one", machine(), 1, 0.1).unwrap();
        assert_eq!(fleet.add("one", machine(), 1, 0.1).unwrap_err().field, "host");
        assert_eq!(fleet.add("two", machine(), 1, 0.0).unwrap_err().field, "tick_s");
        assert!(fleet.report("two").unwrap_err().message.contains("no host 'two'"));
        fleet.remove("one").unwrap();
        assert!(fleet.order("one", order()).is_err());
        assert!(fleet.machines.is_empty());
    }
}
