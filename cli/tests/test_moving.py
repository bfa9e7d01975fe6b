"""`plans ask --move --swap --bounds`: what is sent, what is shown, and what cannot be read."""

from types import SimpleNamespace
from typing import Any

import pytest
from sextant_cli import move_options
from sextant_cli.errors import CliError
from sextant_cli.output import Format, Printer
from sextant_cli.resource_options import resource_intent
from sextant_cli.show_operation import show_operation
from sextant_cli.show_plan import adjusted_text, show_plan
from sextant_domain.base import Provenance, digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.hosts.measured_levels import LevelsVersion
from sextant_domain.plans.loss import ChainLoss, LossPreview
from sextant_domain.plans.operation import ChainOutcome, MoveOutcome, OperationKind
from sextant_domain.plans.plan import PlanState

from .answers import NOW, a_body, a_chain, a_host, a_plan, an_operation

TABLE = LevelTable(host_model="m", types={"router": TypeLevels(local=(Level(gbps=4.0, ways=2, mb_percent=10),))})


def fleet(**seats: list[tuple[str, int]]) -> Any:
    """A console whose chains stand on these (host, core), NF by NF."""
    views: dict[str, Any] = {}
    for name, there in seats.items():
        nfs = [{"type": "router", "name": f"nf{number}"} for number in range(len(there))]
        traffic = {"rate_mpps": 0.1, "packet_bytes": 64}
        view = a_chain(ChainSpec.model_validate({"name": name, "nfs": nfs, "traffic": traffic}))
        placed = tuple(
            one.model_copy(update={"seat": one.seat.model_copy(update={"host": host, "core": core})})
            for one, (host, core) in zip(view.placement, there, strict=True)
        )
        views[name] = view.model_copy(update={"placement": placed}).model_dump(mode="json")
    return SimpleNamespace(api=SimpleNamespace(get=lambda path: SimpleNamespace(body=views[path.rpartition("/")[2]])))


def test_two_chains_exchange_their_cores_nf_by_nf() -> None:
    there = fleet(web=[("edge-1", 0), ("edge-1", 1)], nat=[("edge-1", 4), ("edge-1", 5)])
    cores = {"web.nf0": 4, "web.nf1": 5, "nat.nf0": 0, "nat.nf1": 1}
    assert move_options.moves(there, None, "web,nat") == cores
    assert move_options.moves(there, ["vpn.router=6"], "web,nat") == {**cores, "vpn.router": 6}


def test_what_shares_a_core_stays_there() -> None:
    there = fleet(web=[("edge-1", 1), ("edge-1", 1)], nat=[("edge-1", 1), ("edge-1", 0)])
    assert move_options.moves(there, None, "web,nat") == {"web.nf1": 0, "nat.nf1": 1}


@pytest.mark.parametrize(
    ("move", "swap", "why"),
    [
        (["web.nf0"], None, "--move web.nf0: it is not CHAIN.NF=CORE, as web.firewall=6"),
        (["web=4"], None, "--move web=4: it is not CHAIN.NF=CORE"),
        (["web.nf0=-1"], None, "it is not CHAIN.NF=CORE"),
        (["web.nf0=1", "web.nf0=2"], None, "--move web.nf0=2: web.nf0 is moved twice"),
        (None, "web", "--swap web: it is not CHAIN,CHAIN, as web,nat"),
        (None, "web,web", "it is not CHAIN,CHAIN"),
        (None, "web,far", "web runs on edge-1 and far runs on edge-2; cores are exchanged within one host"),
        (None, "web,short", "web has 2 NFs and short has 1; name --move each"),
        (None, "web,split", "split does not run on one host now"),
        (["web.nf0=7"], "web,nat", "web.nf0 is named by --move, too"),
    ],
)  # fmt: skip
def test_what_cannot_be_moved_is_refused_with_its_option(move: list[str] | None, swap: str | None, why: str) -> None:
    there = fleet(
        web=[("edge-1", 0), ("edge-1", 1)], nat=[("edge-1", 4), ("edge-1", 5)], short=[("edge-1", 6)],
        far=[("edge-2", 0), ("edge-2", 1)], split=[("edge-1", 2), ("edge-2", 2)],
    )  # fmt: skip
    with pytest.raises(CliError) as refused:
        move_options.moves(there, move, swap)
    assert why in refused.value.problem.detail


def levels(nf_type: str) -> dict[str, Any]:
    """A promoted version, as the console answers."""
    measured = {"levels": TABLE.types["router"], "nodes": (), "noise_percent": 0.0, "packet_bytes": 64, "flows": 1}
    return LevelsVersion.model_validate(
        {"id": 1, "host_model": "m", "nf_type": nf_type, "nf_version": 1, "version": 1, "state": "promoted",
         "measured": measured, "provenance": "simulated", "job_id": 1, "host": "edge-1", "created_at": NOW,
         "created_by": "ada"}
    ).model_dump(mode="json")  # fmt: skip


def console_with(*nf_types: str) -> Any:
    """web runs on a host of model m, of which levels of these types are promoted."""
    there = fleet(web=[("edge-1", 0)], split=[("edge-1", 2), ("edge-2", 2)])
    chains, host = there.api.get, a_host(HostStatus.UP, None)
    inventory = host.inventory.model_copy(update={"host_model": "m"})
    view = host.model_copy(update={"inventory": inventory}).model_dump(mode="json")
    there.api.get = lambda path: SimpleNamespace(body=view) if "hosts" in path else chains(path)
    there.api.pages = lambda path, query, most: {"items": [levels(one) for one in nf_types], "next": None}
    return there


def test_bounds_go_along_with_the_promoted_levels_of_the_host_model() -> None:
    found = move_options.bounds(console_with("router"), ["web=2-6,10-50", "nat=none"])
    intent = resource_intent(["web.ways=4"], **found).model_dump(mode="json")
    assert intent["bounds"] == {
        "web": {
            "law": "numasfp", "law_version": 1, "table": digest_of(TABLE), "least_ways": 2, "most_ways": 6,
            "least_percent": 10, "most_percent": 50,
        },
        "nat": None,
    }  # fmt: skip
    assert intent["tables"] == [TABLE.model_dump(mode="json")]
    assert move_options.bounds(console_with(), ["nat=none"]) == {"bounds": {"nat": None}, "tables": ()}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["web"], "--bounds web: it is not CHAIN=WAYS,PERCENT"),
        (["web=2-6"], "it is not CHAIN=WAYS,PERCENT, as web=2-6,10-50"),
        (["web=6-2,10-50"], "least_ways: 6 is more than most_ways, 2"),
        (["web=0-2,10-50"], "--bounds web=0-2,10-50: "),
        (["web=none", "web=none"], "--bounds web=none: web is named twice"),
        (["split=2-6,10-50"], "--bounds split=2-6,10-50: split does not run on one host now"),
    ],
)
def test_bounds_that_cannot_be_read_are_refused(asked: list[str], why: str) -> None:
    with pytest.raises(CliError) as refused:
        move_options.bounds(console_with("router"), asked)
    assert why in refused.value.problem.detail


def test_without_promoted_levels_there_are_no_bounds() -> None:
    with pytest.raises(CliError) as refused:
        move_options.bounds(console_with(), ["web=2-6,10-50"])
    assert "no levels are promoted for m, the model of edge-1" in refused.value.problem.detail


def test_asking_sends_moves_and_what_they_may_cost(sextant: Any, console: Any) -> None:
    sextant("plans", "ask", "--move", "web.router=3", "--most-lost-packets", "100", "--set", "web.router.cpu_share=200")
    (plan,) = console.plans.values()
    asked = plan.intent.model_dump(mode="json")
    assert (asked["seats"], asked["loss_budget"]["most_packets"]) == ({"web.router": 3}, 100)
    assert asked["resources"] == {"web.router": {"cpu_share": 200}}


@pytest.mark.parametrize(
    "options",
    [
        ("--move", "web.router=3", "--chain", "edge"),
        ("--move", "web.router=3", "--algorithm", "exact"),
        ("--most-lost-packets", "5"),
        ("--most-pause-ms", "5", "--set", "web.router.cpu_share=200"),
    ],
)
def test_moves_are_asked_for_alone(sextant: Any, console: Any, options: tuple[str, ...]) -> None:
    assert sextant("plans", "ask", *options).exit_code == 2
    assert console.plans == {}


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_a_plan_shows_what_moving_costs(capsys: pytest.CaptureFixture[str]) -> None:
    intent = resource_intent([], seats={"web.router": 3})
    loss = LossPreview(
        packets=520, pause_ms=2.6, assumed=True, basis="as on the testbed",
        chains=(ChainLoss(chain="web", moves=1, rate_mpps=0.2, packets=520),),
    )  # fmt: skip
    body = a_body(intent, None, no_room=False).model_copy(update={"intent": intent, "loss": loss, "rejected": ()})
    plan = a_plan(7, intent, None).model_copy(update={"state": PlanState.PROPOSED, "body": body})
    show_plan(Printer(Format.TABLE), plan)
    text = " ".join(shown(capsys))
    assert "moving 1 NF is expected to lose 520 packets at most, with 2.6 ms a move (assumed)" in text


def test_bounds_are_shown_as_a_sentence() -> None:
    one = move_options.bounds(console_with("router"), ["web=2-6,10-50"])["bounds"]["web"]
    assert adjusted_text("bounds", one.model_dump_json()) == (
        "2 to 6 LLC ways, 10 to 50 % of memory bandwidth, by numasfp 1"
    )
    assert (adjusted_text("bounds", "null"), adjusted_text("paused", "true")) == ("none", "true")


def test_an_operation_shows_what_moves_brought(capsys: pytest.CaptureFixture[str]) -> None:
    chain = ChainOutcome(
        chain="web", before_gbps=7.7, after_gbps=8.8, offered_before_gbps=8.8, offered_after_gbps=8.8, lost_packets=0,
        before_p95_us=310.4, after_p95_us=142.0,
    )  # fmt: skip
    outcome = MoveOutcome(
        chains=(chain,), before_gbps=7.7, after_gbps=8.8, lost_packets=0, pause_ms=None, within_budget=True,
        worse=False, provenance=Provenance.SIMULATED, text="carries 8.80 Gbps, 7.70 before; 0 packets lost",
    )  # fmt: skip
    done = an_operation(1, 7, OperationKind.RESOURCES, "Move web.router on edge-1")
    work = done.hosts[0].model_copy(update={"outcome": outcome})
    show_operation(Printer(Format.TABLE), done.model_copy(update={"hosts": (work,)}))
    lines = shown(capsys)
    assert "edge-1 (simulated): carries 8.80 Gbps, 7.70 before; 0 packets lost" in lines
    assert "web 7.70 8.80 8.80 8.80 310 142 0" in lines
