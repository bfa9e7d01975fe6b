"""`sextant demo`: simulated hosts joined, chains put on them, all taken away; repeated and refused."""

from ipaddress import IPv6Network
from typing import Any

import pytest
from sextant_cli.demonstrating import chain_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainState, HostView
from sextant_domain.hosts.demo import DEMO_LABELS, DemoFleet
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.path import PathPlace
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.plan import PlanState

from .console import FakeConsole
from .console_state import Answer, Asked, Refusal


class DemoWorld:
    """Before the small console: the demonstration fleet, whose hosts join when they are asked for the second time."""

    def __init__(self, console: FakeConsole) -> None:
        self._console, self._rest = console, console.handle
        self.fleet = DemoFleet(hosts=0)
        self.hosts: dict[str, HostView] = {}
        self.asked_for: set[str] = set()
        self.removed: list[str] = []
        self.unserved = False

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", ["demo"]:
                return 200, self.fleet, None
            case "PUT", ["demo"]:
                return self._ask(DemoFleet.model_validate(asked.body))
            case "GET", ["hosts"]:
                return (
                    200,
                    {"items": [host.model_dump(mode="json") for host in self.hosts.values()], "next": None},
                    None,
                )
            case "GET", ["chains"]:
                return 200, {"items": [self._chain(name) for name in sorted(self._console.chains)], "next": None}, None
            case "GET", ["hosts", name] if name.startswith("demo-"):
                return 200, self._host(name), '"1"'
            case "POST", ["hosts", "removals"]:
                assert not self.fleet.hosts, "its process has ended before"
                gone = [name for name in asked.body["hosts"] if self.hosts.pop(name, None)]
                self.removed += gone
                return 200, {"removed": gone}, None
            case "DELETE", ["chains", name]:
                del self._console.chains[name]
                return 204, None, None
        return self._rest(asked)

    def _chain(self, name: str) -> dict[str, Any]:
        """It runs once a plan that names it is applied."""
        applied = [plan.intent for plan in self._console.plans.values() if plan.state is PlanState.APPLYING]
        runs = any(isinstance(intent, PlaceIntent) and name in intent.chains for intent in applied)
        state = ChainState.RUNNING if runs else ChainState.SUBMITTED
        return self._console.chain(name).model_copy(update={"state": state}).model_dump(mode="json")

    def _ask(self, wanted: DemoFleet) -> Answer:
        if self.unserved:
            raise Refusal(409, "demo-unavailable", "nobody serves it")
        self.fleet = wanted
        for name, host in self.hosts.items() if not wanted.hosts else ():
            self.hosts[name] = host.model_copy(update={"status": HostStatus.STALE})
        return 200, wanted, None

    def _host(self, name: str) -> HostView:
        if name not in self.hosts and name in self.asked_for and name in self.fleet.names:
            known = {"host_id": name, "labels": DEMO_LABELS, "status": HostStatus.UP}
            self.hosts[name] = self._console.host().model_copy(update=known)
        self.asked_for.add(name)
        if name not in self.hosts:
            raise Refusal(404, "not-found", "there is no such host")
        return self.hosts[name]


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> DemoWorld:
    monkeypatch.setattr("sextant_cli.demonstrating.POLL_S", 0.01)
    made = DemoWorld(console)
    console.handle = made.handle  # type: ignore[method-assign]
    return made


def test_hosts_join_and_chains_are_put_on_them(sextant, console: FakeConsole, world: DemoWorld) -> None:
    done = sextant("demo", "--hosts", "2", "--chains", "3")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "2 simulated hosts, demo-1 to demo-2; 2 up. Remove them: sextant demo --remove\n"
    assert "2 of 2 hosts are up" in done.stderr and "3 of 3 chains placed" in done.stderr
    # one after the other: the third chain is on the first host again
    assert [spec.ingress.host for spec in console.chains.values()] == ["demo-1", "demo-2", "demo-1"]
    assert len([path for method, path, _ in console.requests if path.endswith("/apply")]) == 1, "one plan for all"


def test_a_repeat_orders_only_what_is_missing(sextant, console: FakeConsole, world: DemoWorld) -> None:
    sextant("demo", "--hosts", "2", "--chains", "2")
    before = len(console.operations)
    assert sextant("demo", "--hosts", "2", "--chains", "3").exit_code == 0
    assert len(console.operations) == before + 1


def test_a_chain_that_does_not_fit_says_why(sextant, console: FakeConsole, world: DemoWorld) -> None:
    console.no_room = True
    done = sextant("demo", "--hosts", "1", "--chains", "1")
    assert done.exit_code == 1
    assert "A chain does not fit" in done.stderr
    assert "demo-chain-0001: 3 NFs need 3 slots, 2 are free; the chains before it were placed" in done.stderr


def test_a_host_that_was_silent_for_a_moment_is_waited_for(
    sextant, console: FakeConsole, world: DemoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    sextant("demo", "--hosts", "1")
    console.no_room, statuses = True, iter([HostStatus.UP, HostStatus.STALE, HostStatus.UP])

    def next_host(name: str) -> HostView:
        status = next(statuses, HostStatus.UP)
        console.no_room = console.no_room and status is not HostStatus.STALE
        return world.hosts[name].model_copy(update={"status": status})

    monkeypatch.setattr(world, "_host", next_host)
    done = sextant("demo", "--hosts", "1", "--chains", "1")
    assert done.exit_code == 0, done.stderr
    assert list(console.chains) == ["demo-chain-0001"]
    assert len([path for method, path, _ in console.requests if path.endswith("/apply")]) == 1
    assert [plan.state for plan in console.plans.values()] == [PlanState.REJECTED, PlanState.APPLYING]


def test_all_is_taken_away_in_order(sextant, console: FakeConsole, world: DemoWorld) -> None:
    sextant("demo", "--hosts", "2", "--chains", "1")
    done = sextant("demo", "--remove")
    assert done.exit_code == 0, done.stderr
    assert (console.chains, world.hosts, world.removed) == ({}, {}, ["demo-1", "demo-2"])
    assert "no demonstration fleet" in done.stdout
    assert sextant("demo", "--remove").exit_code == 0, "nothing left to take away"


def measured(console: FakeConsole, world: DemoWorld, *names: str) -> None:
    """Hosts whose packets measure themselves."""
    for number, name in enumerate(names, start=1):
        place = PathPlace(locator=IPv6Network(f"fc00:0:{number}::/48"), mtu=9000)
        inventory = console.host().inventory
        assert inventory is not None
        known = {"host_id": name, "status": HostStatus.UP}
        own = {"host_id": name, "inventory": inventory.model_copy(update={"host_id": name, "path_place": place})}
        world.hosts[name] = console.host().model_copy(update={**known, **own})


def test_chains_of_measured_packets_are_put_on_two_hosts_once(sextant, console: FakeConsole, world: DemoWorld) -> None:
    measured(console, world, "lab-1", "lab-2", "lab-3")
    done = sextant("demo", "--srv6")
    assert done.exit_code == 0, done.stderr
    on = {spec.name: (spec.ingress.host, [nf.type for nf in spec.nfs]) for spec in console.chains.values()}
    assert on == {
        "demo-path": ("lab-1", ["router", "firewall"]),
        "demo-path-part-2": ("lab-3", ["nids"]),
        "demo-lanes": ("lab-1", ["simple-forward"]),
    }
    assert console.chains["demo-lanes"].quota_bounds is not None
    assert "sextant chains adjust demo-lanes --wait --rate-mpps 0.002" in done.stdout
    plans = len(console.plans)
    again = sextant("demo", "--srv6")
    assert again.exit_code == 0 and len(console.plans) == plans
    assert "demo-path is there already: running" in again.stderr
    console.chains["web"] = ChainSpec.model_validate({**chain_of(1, ["sim-1"]), "name": "web"})
    assert sextant("demo", "--remove").exit_code == 0
    assert "web" in console.chains and not {"demo-path", "demo-lanes"} & console.chains.keys()


@pytest.mark.parametrize(("names", "there"), [((), "none is up"), (("lab-1",), "only lab-1 is up")])
def test_without_two_measured_hosts_it_says_how_to_get_them(
    sextant, console: FakeConsole, world: DemoWorld, names: tuple[str, ...], there: str
) -> None:
    measured(console, world, *names)
    done = sextant("demo", "--srv6")
    assert done.exit_code == 4 and console.chains == {}
    assert there in done.stderr and "make up SEXTANT_LAB_HOSTS=4" in done.stderr


def test_a_chain_of_somebody_elses_keeps_the_hosts(
    sextant, console: FakeConsole, world: DemoWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    sextant("demo", "--hosts", "1")
    console.chains["web"] = ChainSpec.model_validate({**chain_of(1, ["demo-1"]), "name": "web"})
    found = console.chain("web")
    seated = [nf.model_copy(update={"seat": nf.seat.model_copy(update={"host": "demo-1"})}) for nf in found.placement]
    monkeypatch.setattr(console, "chain", lambda _: found.model_copy(update={"placement": tuple(seated)}))
    done = sextant("demo", "--remove")
    assert done.exit_code == 4
    assert "web has NFs on demo-1; nothing was removed" in done.stderr
    assert "sextant chains delete web --wait" in done.stderr
    assert (world.fleet.hosts, list(world.hosts)) == (1, ["demo-1"])


def test_what_cannot_be_is_refused(sextant, world: DemoWorld) -> None:
    assert sextant("demo", "--remove", "--hosts", "2").exit_code == 2
    assert sextant("demo", "--srv6", "--hosts", "2").exit_code == 2
    assert sextant("demo", "--hosts", "1001").exit_code == 2
    assert "say how many" in sextant("demo", "--chains", "2").stderr
    world.unserved = True
    assert "nobody serves it" in sextant("demo", "--hosts", "2").stderr


def test_hosts_that_do_not_join_in_time_are_named(sextant, world: DemoWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sextant_cli.demonstrating.POLL_S", 1.1)
    monkeypatch.setattr(
        world, "asked_for", type("Never", (), {"add": lambda *_: None, "__contains__": lambda *_: False})()
    )
    done = sextant("demo", "--hosts", "2", "--timeout", "1")
    assert done.exit_code == 1
    assert "demo-1 does not report: it has not enrolled" in done.stderr


@pytest.mark.parametrize("number", [1, 2, 3, 1000])
def test_every_chain_is_a_chain(number: int) -> None:
    spec = ChainSpec.model_validate(chain_of(number, ["demo-1", "demo-2", "demo-3"]))
    assert spec.name == f"demo-chain-{number:04}"
    assert spec.ingress.host == f"demo-{(number - 1) % 3 + 1}"
