"""Placing one chain: host, node, core, reasons, predictions, and what is said where it does not fit."""

from ipaddress import IPv6Network

import pytest
from engine_fleets import NF_TYPES, chain, demo_inventory, host, numa_inventory, running, simulated, snapshot, unable
from engine_placing import WEB, place, seats
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import Capability, HostStatus
from sextant_domain.hosts.path import PathPlace
from sextant_domain.plans.evidence import Algorithm, Doubt, Solving
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.plan import ChangeKind, SloVerdict
from sextant_domain.profiling.model import Levels
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan


def test_the_demonstration_chain_on_the_two_core_host():
    """All three NFs share core 1 (8 slots); core 0 is a last choice and stays empty."""
    body = place(snapshot([host(demo_inventory(), generation=4)], [WEB]))
    assert list(seats(body).values()) == [("edge-1", 0, 1, 0), ("edge-1", 0, 1, 1), ("edge-1", 0, 1, 2)]
    assert [change.kind for change in body.changes] == [ChangeKind.START] * 3
    assert body.changes[0].reason == ("local to port src0; core 1 is the only ordinary core, and has 8 of 8 slots free")
    assert (body.base[0].generation, body.target[0].generation) == (4, 5)
    placed = body.target[0].content.chains[0]
    assert (placed.ingress.host, placed.ingress.port, placed.egress.port) == ("edge-1", "src0", "snk0")
    assert placed.nfs[0].config == {"size": 10}


def test_beside_a_real_host_a_simulated_one_takes_only_chains_that_name_it():
    """big-1 (simulated) has four free cores a node, edge-1 (testbed) shared slots: without a name it is edge-1."""
    twin = simulated(numa_inventory())
    fleet = [host(demo_inventory()), host(twin)]
    assert {seat[0] for seat in seats(place(snapshot(fleet, [WEB]))).values()} == {"edge-1"}
    named = chain("web-edge", ingress={"host": "big-1"})
    assert {seat[0] for seat in seats(place(snapshot(fleet, [named]))).values()} == {"big-1"}
    assert {seat[0] for seat in seats(place(snapshot(fleet[1:], [WEB]))).values()} == {"big-1"}, "there is no real one"
    long = chain("long", *["router"] * 11)  # edge-1 has 10 slots
    (rejected,) = place(snapshot(fleet, [long]), "long").rejected
    assert "edge-1 has 10 of 11 free" in rejected.reason and "big-1" not in rejected.reason


def test_a_chain_that_names_no_host_goes_to_none_that_measures_packets_beside_others():
    """An NF takes many times as long there, which no model says. Without others it is taken, before a simulated one."""
    place_of_it = PathPlace(locator=IPv6Network("fc00:0:1::/48"), mtu=9000)
    lab = demo_inventory("lab-1").model_copy(update={"path_place": place_of_it})
    fleet = {"lab-1": host(lab), "edge-1": host(demo_inventory()), "big-1": host(simulated(numa_inventory()))}

    def chosen(*names):
        (found,) = {seat[0] for seat in seats(place(snapshot([fleet[name] for name in names], [WEB]))).values()}
        return found

    assert chosen("lab-1", "edge-1", "big-1") == "edge-1"
    assert chosen("lab-1", "big-1") == "lab-1"
    named = chain("web-edge", ingress={"host": "lab-1"})
    assert {seat[0] for seat in seats(place(snapshot(list(fleet.values()), [named]))).values()} == {"lab-1"}
    long = chain("long", *["router"] * 11)  # edge-1 and lab-1 have 10 slots each
    (rejected,) = place(snapshot(list(fleet.values()), [long]), "long").rejected
    assert "lab-1" not in rejected.reason


@pytest.mark.parametrize(
    ("named", "relax"),
    [
        ("edge-1", "shorten it to 10 NFs, or add 2 slots on edge-1"),
        (None, "shorten it to 10 NFs, or add 2 slots on edge-1"),
        ("big-2", "let it enter and leave at big-1: it has 16 slots free"),
    ],
)
def test_a_chain_of_a_real_host_is_not_sent_to_a_simulated_one(named, relax):
    """Twelve NFs: edge-1 has ten slots, big-1 (simulated) 16 cores; big-2 (simulated) is as large as two NFs."""
    ends = {} if named is None else {"ingress": {"host": named}}
    long = chain("long", *[{"type": "router", "name": f"r{number}"} for number in range(12)], **ends)
    twins = [simulated(numa_inventory("big-1", cores=8)), simulated(numa_inventory("big-2", cores=1))]
    given = snapshot([host(demo_inventory()), *(host(twin) for twin in twins)], [long])
    (rejected,) = make_plan(given, PlaceIntent(chain="long"), clock=lambda: 0.0).rejected
    assert rejected.relax is not None and rejected.relax.startswith(relax)


def test_a_shared_core_that_is_taken_while_simulated_ones_stand_free_says_why():
    """A chain for any host gets the shared core of edge-1; why not a free one of big-1 stands beside it."""
    twin = simulated(numa_inventory())
    (warning,) = [
        text for text in place(snapshot([host(demo_inventory()), host(twin)], [WEB])).warnings if "big-1" in text
    ]
    assert "exclusive cores are free on big-1, but a simulated host moves no real packets" in warning
    named = chain("web-edge", ingress={"host": "edge-1"})
    assert not any("big-1" in text for text in place(snapshot([host(demo_inventory()), host(twin)], [named])).warnings)


def test_a_core_of_its_own_without_a_prediction_goes_before_a_shared_one_with_one():
    """edge-1's shared core has a prediction that does not hold there, big-1's free cores have none."""
    fleet = [host(demo_inventory()), host(numa_inventory())]
    known = snapshot(fleet, [WEB], models=assumed_models("small-1x2"))
    assert {seat[0] for seat in seats(place(known)).values()} == {"big-1"}


def test_on_shared_cores_nothing_is_predicted_and_the_plan_says_so():
    body = place(snapshot([host(demo_inventory())], [WEB]))
    prediction = body.predictions[0]
    assert (prediction.throughput_mpps, prediction.throughput_slo, prediction.latency_slo, prediction.note) == (
        None,
        SloVerdict.NOT_PREDICTABLE,
        SloVerdict.NOT_PREDICTABLE,
        "shared cores: Octans' model does not apply",
    )
    assert any("shared cores" in warning for warning in body.warnings)
    assert body.evidence.objective_mpps is None
    (chosen,) = body.evidence.hosts
    assert (chosen.algorithm, chosen.trusted, body.evidence.status) == (Algorithm.NODE_FIRST, False, "optimal")


def test_four_chains_of_three_do_not_fit_ten_slots():
    """8 + 2 slots hold 9 NFs; the fourth chain needs 3 and finds 1: 2 short. The others are untouched."""
    inventory = demo_inventory()
    old = [chain(f"c{number}") for number in range(3)]
    places = [[(1, 0), (1, 1), (1, 2)], [(1, 3), (1, 4), (1, 5)], [(1, 6), (1, 7), (0, 0)]]
    running_chains = [running(spec, inventory, at) for spec, at in zip(old, places, strict=True)]
    body = place(snapshot([host(inventory, running_chains)], [*old, WEB]))
    assert body.changes == body.target == ()
    rejected = body.rejected[0]
    assert rejected.reason == "needs 3 slots on one host: edge-1 has 1 of 3 free"
    assert (rejected.short.host, rejected.short.node, rejected.short.cores) == ("edge-1", 0, 2)
    assert rejected.relax == (
        "remove c0 (value 1) from edge-1, which frees 3 slots; or shorten it to 1 NF, or add 2 slots on edge-1"
    )
    assert body.evidence.status == "infeasible"


def test_where_opennetvm_polls_on_every_core_sharing_them_is_named():
    """Four cores with an NF each on node 0 and on node 1: eight, and nine are wanted."""
    onvm = numa_inventory().model_copy(update={"driver": "opennetvm"})
    long = chain("long", *[{"type": "router", "name": f"r{number}"} for number in range(9)])
    for inventory, suggested in ((onvm, True), (numa_inventory(), False)):
        (rejected,) = place(snapshot([host(inventory)], [long]), "long").rejected
        assert rejected.relax.endswith("lets NFs share cores") is suggested, rejected.relax
        assert "shorten it to 8 NFs, or add 1 slot on big-1" in rejected.relax
    shared = onvm.model_copy(
        update={"cores": tuple(core.model_copy(update={"slots": 2 * core.slots}) for core in onvm.cores)}
    )
    longer = chain("long", *[{"type": "router", "name": f"r{number}"} for number in range(17)])
    (rejected,) = place(snapshot([host(shared)], [longer]), "long").rejected
    assert rejected.relax.endswith("add 1 slot on big-1"), "they share already"


def test_the_ninth_nf_takes_the_last_choice_core():
    inventory = demo_inventory()
    old = chain("old", *[{"type": "router", "name": f"r{number}"} for number in range(8)])
    at = [(1, slot) for slot in range(8)]
    body = place(snapshot([host(inventory, [running(old, inventory, at)])], [old, chain("web-edge", "router")]))
    assert seats(body)["web-edge.router"] == ("edge-1", 0, 0, 0)
    assert body.changes[0].reason == "local to port src0; every other core is full, so the last-choice core 0"


def test_where_the_model_holds_the_plan_carries_its_prediction():
    """Router, firewall, monitor alone on node 0 of four cores: weights 1/12 + 1/16 + 1/14 = .21726.

    The firewall is slowest: llc = mem = .21726 - .0625 = .15476; drop = .28 x .15476 + .10 x .15476 + .02 = .07881;
    10 x .92119 = 9.21190 Mpps of capacity, of which 1 Mpps is offered.
    """
    body = place(snapshot([host(numa_inventory())], [WEB]))
    prediction = body.predictions[0]
    assert prediction.throughput_mpps == 1.0
    assert prediction.bottleneck == "web-edge.firewall"
    assert prediction.note == "capacity 9.21 Mpps; latency is measured, not predicted"
    assert (prediction.provenance, prediction.throughput_slo) == (Provenance.ASSUMED, SloVerdict.MET)
    assert {use.version for use in body.evidence.models} == {"assumed-1"}
    assert body.evidence.algorithm is Algorithm.NODE_FIRST
    assert body.changes[0].reason.startswith("local to port src0; core 0 is the lowest")


def test_an_slo_above_the_prediction_is_missed():
    asked = chain("web-edge", rate=5.0, slo={"min_throughput_mpps": 5.5})
    assert place(snapshot([host(numa_inventory())], [asked])).predictions[0].throughput_slo is SloVerdict.MISSED


def test_an_slo_that_is_just_reached_is_met():
    asked = chain("web-edge", rate=5.0, slo={"min_throughput_mpps": 5.0})
    assert place(snapshot([host(numa_inventory())], [asked])).predictions[0].throughput_slo is SloVerdict.MET


def test_last_choice_seats_are_granted_on_the_local_node_first():
    """Ports on node 1; cores 0 and 4 are last choices, six others full with six NFs: the seventh takes core 4."""
    inventory = numa_inventory()
    cores = tuple(core.model_copy(update={"last_choice": core.id in {0, 4}}) for core in inventory.cores)
    ports = tuple(port.model_copy(update={"node": 1}) for port in inventory.ports)
    inventory = inventory.model_copy(update={"cores": cores, "ports": ports})
    old = chain("old", *[{"type": "router", "name": f"r{number}"} for number in range(6)])
    at = [(core, 0) for core in (1, 2, 3, 5, 6, 7)]
    given = snapshot([host(inventory, [running(old, inventory, at)])], [old, chain("web-edge", "router")])
    assert seats(place(given))["web-edge.router"] == ("big-1", 1, 4, 0)


def test_without_a_model_of_the_nf_type_nothing_is_predicted():
    body = place(snapshot([host(numa_inventory())], [WEB], models=()))
    assert body.predictions[0].note == "no performance model of router for host model 'big-2x4'"
    assert [seat[1:3] for seat in seats(body).values()] == [(0, 0), (0, 1), (0, 2)]


def test_assumed_figures_are_reported_with_what_would_make_them_better_there():
    """big-1 offers no profiling at all; the other two say that they can, and why they cannot."""
    able = Capability(name="profiling", available=True, reason="in its sandbox")
    offering = numa_inventory().model_copy(update={"capabilities": (able,)})
    refusing = unable(numa_inventory(), "profiling", "it carries packets of others")
    rest = "big-1: predictions rest on what is assumed of basic-monitor, firewall, router, not on profiles; "
    for inventory, next_step in (
        (numa_inventory(), "it cannot profile: its driver does not offer it"),
        (offering, "profile them there"),
        (refusing, "it cannot profile: it carries packets of others"),
    ):
        assert place(snapshot([host(inventory)], [WEB])).warnings == (rest + next_step,)


def test_a_host_that_measures_no_latency_is_reported_beside_chains_that_have_an_objective_for_it():
    blind = unable(demo_inventory(), "latency", "its NFs cannot be asked")
    warning = "edge-1: nobody will judge the latency objective of web-edge: its NFs cannot be asked"
    asking = chain("web-edge", slo={"max_p95_ms": 2.0})
    assert warning in place(snapshot([host(blind)], [asking])).warnings
    assert warning not in place(snapshot([host(demo_inventory())], [asking])).warnings, "a host that says nothing does"
    silent = chain("web-edge", slo={"min_throughput_mpps": 0.5})
    assert warning not in place(snapshot([host(blind)], [silent])).warnings


def test_a_fitted_model_goes_before_an_assumed_one_and_the_prediction_says_so():
    assumed = assumed_models("big-2x4")
    fitted = [one.model_copy(update={"version": "fit-3", "provenance": Provenance.MEASURED}) for one in assumed]
    body = place(snapshot([host(numa_inventory())], [WEB], models=[*fitted, *assumed]))
    assert {use.version for use in body.evidence.models} == {"fit-3"}
    assert body.predictions[0].provenance is Provenance.PREDICTED
    assert body.warnings == ()


@pytest.mark.parametrize(("beside", "warns"), [(0.1, True), (0.2, False)])
def test_a_plan_says_that_an_nf_stands_beside_more_than_it_was_profiled_beside(beside, warns):
    """Three NFs on a node, each of 10 stalls: a firewall stands beside 2 / 10 = 0.2. Assumed models of the others have
    no samples, and nothing is reported of them."""
    models = [one.model_copy(update={"stalls": 10.0}) for one in assumed_models("big-2x4")]
    profiled = [
        one.model_copy(update={"most_level": Levels(local=beside, remote=1.0)}) if one.nf_type == "firewall" else one
        for one in models
    ]
    body = place(snapshot([host(numa_inventory())], [WEB], models=profiled))
    assert {seat[1] for seat in seats(body).values()} == {0}, "all on the local node"
    warning = (
        "big-1: firewall stands beside NFs that weigh 0.2 together, and was profiled beside 0.1 at most: what it loses "
        "is extrapolated; profile it on a host of this model with more free cores"
    )
    assert (warning in body.warnings) is warns
    assert any("extrapolated" in one for one in body.warnings) is warns


def test_the_host_with_the_best_predicted_gain_is_chosen():
    """busy holds a 9 Mpps chain that the newcomer would slow down; idle gains the newcomer's full rate."""
    busy, idle = numa_inventory("a-busy"), numa_inventory("b-idle")
    old = chain("old", rate=9.0)
    fleet = snapshot([host(busy, [running(old, busy, [(0, 0), (1, 0), (2, 0)])]), host(idle)], [old, WEB])
    assert {seat[0] for seat in seats(place(fleet)).values() if seat[0] != "a-busy"} == {"b-idle"}


def test_ties_go_to_more_free_slots_and_then_to_the_name():
    small, big = numa_inventory("a", cores=4), numa_inventory("b", cores=8)
    assert {seat[0] for seat in seats(place(snapshot([host(small), host(big)], [WEB]))).values()} == {"b"}
    twins = snapshot([host(numa_inventory("b")), host(numa_inventory("a"))], [WEB])
    assert {seat[0] for seat in seats(place(twins)).values()} == {"a"}


def test_a_host_where_the_model_holds_comes_before_one_where_it_does_not():
    fleet = snapshot([host(demo_inventory("a-shared")), host(numa_inventory("b-exclusive"))], [WEB])
    assert {seat[0] for seat in seats(place(fleet)).values()} == {"b-exclusive"}


def test_the_ingress_host_is_respected():
    asked = chain("web-edge", ingress={"host": "b", "port": "src0"})
    fleet = snapshot([host(numa_inventory("a")), host(numa_inventory("b"))], [asked])
    assert {seat[0] for seat in seats(place(fleet)).values()} == {"b"}


@pytest.mark.parametrize(("status", "word"), [
    (HostStatus.UNREACHABLE, "edge-1 is unreachable"),
    (HostStatus.STALE, "edge-1 is stale: no telemetry for longer than the limit"),
])  # fmt: skip
def test_hosts_that_are_not_up_are_no_candidates(status, word):
    body = place(snapshot([host(demo_inventory(), status=status)], [WEB]))
    assert body.rejected[0].reason == f"needs 3 slots on one host: {word}"
    assert body.rejected[0].relax == "bring edge-1 back: it has 10 slots free"


def test_an_unknown_nf_type_or_a_wrong_option_is_a_rejection():
    unknown = snapshot([host(demo_inventory())], [chain("web-edge", "teapot")])
    assert place(unknown).rejected[0].reason == "nfs.0.type: 'teapot' is not in the catalogue"
    wrong = snapshot([host(demo_inventory())], [chain("web-edge", {"type": "router", "config": {"size": 0}})])
    assert place(wrong).rejected[0].reason == "nfs.0.config.size: 0 is less than the minimum of 1"


def test_overrides_are_merged_with_the_types_defaults():
    asked = chain("web-edge", {"type": "router", "config": {"size": 77}}, "firewall")
    nfs = place(snapshot([host(demo_inventory())], [asked])).target[0].content.chains[0].nfs
    assert [nf.config for nf in nfs] == [{"size": 77}, {"size": 10}]


def test_a_chain_that_runs_or_is_unknown_is_not_placed_again():
    inventory = demo_inventory()
    fleet = snapshot([host(inventory, [running(WEB, inventory, [(1, 0), (1, 1), (1, 2)])])], [WEB])
    assert place(fleet).rejected[0].reason == "the chain runs on edge-1 already"
    assert place(fleet, "ghost").rejected[0].reason == "the chain is not among those that shall run"


def test_an_empty_fleet_rejects():
    assert place(snapshot([], [WEB])).rejected[0].reason == "the fleet has no host"


@pytest.mark.parametrize("algorithm", [Algorithm.BRUTE, Algorithm.EXACT])
def test_an_algorithm_that_proves_its_placement_says_so(algorithm):
    """One chain that runs nowhere yet has been judged on every host, so the whole plan is optimal."""
    evidence = place(
        snapshot([host(numa_inventory("a")), host(numa_inventory("b"))], [WEB]), algorithm=algorithm
    ).evidence
    assert (evidence.algorithm, evidence.status, evidence.score) == (algorithm, "optimal", evidence.bound)
    assert evidence.gap == 0.0


def test_every_host_says_why_it_is_not_proved_and_whether_anybody_tested_its_models():
    """24 chains on 80 cores need longer than no time at all; one chain on 8 is proved, by models of nobody's test."""
    chains = [chain(f"c{number}", rate=5 + number / 10, value=1 + number % 3) for number in range(24)]
    large = snapshot([host(numa_inventory(nodes=4, cores=20))], chains)
    (late,) = make_plan(large, ReplaceIntent(), Solving(time_limit_s=0)).evidence.hosts
    assert (late.status, late.unproven) == ("feasible", "the search ended at its limit of time")
    (proved,) = place(snapshot([host(numa_inventory())], [WEB]), algorithm=Algorithm.EXACT).evidence.hosts
    assert (proved.status, proved.unproven, proved.doubt) == ("optimal", None, Doubt.UNTESTED)
    shared = place(snapshot([host(demo_inventory())], [WEB])).evidence
    assert (shared.hosts[0].doubt, shared.doubt) == (None, Doubt.UNTESTED), "there nothing is predicted at all"


def test_where_the_letter_of_the_paper_does_not_reach_its_extension_is_used_and_the_plan_says_so():
    """A plan counts what is offered, and Algorithm 1 knows no rates."""
    body = place(snapshot([host(numa_inventory())], [WEB]), algorithm=Algorithm.OCTANS)
    assert body.evidence.algorithm is Algorithm.OCTANS_EXTENDED
    assert any("octans_extended was used" in warning for warning in body.warnings)


def test_without_a_wish_the_engine_chooses_the_algorithm():
    body = make_plan(snapshot([host(numa_inventory())], [WEB]), PlaceIntent(chain="web-edge"))
    assert body.evidence.algorithm is Algorithm.EXACT
    assert body.evidence.solving == Solving()


def test_an_exclusive_last_choice_core_is_used_only_when_all_others_are_full():
    """Seven ordinary cores and one last choice on two nodes: a chain of eight uses it, one of seven does not."""
    inventory = numa_inventory()
    first = inventory.cores[0].model_copy(update={"last_choice": True})
    inventory = inventory.model_copy(update={"cores": (first, *inventory.cores[1:])})
    for length, expected in ((7, False), (8, True)):
        asked = chain("web-edge", *[{"type": "router", "name": f"r{number}"} for number in range(length)])
        body = place(snapshot([host(inventory)], [asked]))
        assert (0 in [seat[2] for seat in seats(body).values()]) is expected


def test_the_catalogue_of_the_tests_covers_the_assumed_models():
    assert {nf_type.name for nf_type in NF_TYPES} == {"basic-monitor", "firewall", "router", "simple-forward"}
