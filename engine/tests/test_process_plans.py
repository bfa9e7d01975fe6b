"""Plans where a Gaussian process is trusted: it chooses before curves do, and nothing is called proved that is not."""

import pytest
from engine_fleets import chain, running
from judged_fleets import ALWAYS, BIG, PROCESSES, SPEC, fleet, nodes_of, planned, process_of, trust
from sextant_domain.base import digest_of
from sextant_domain.plans.evidence import Algorithm, Doubt
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import TrustVerdict
from sextant_engine.errors import BadEngineInput
from sextant_engine.fleet_view import FleetView
from sextant_engine.host_processes import HostProcesses
from sextant_engine.modelling.stored_process import StoredProcess
from sextant_engine.planning.gain import gain_of
from sextant_engine.planning.rest_predictor import by_process
from sextant_engine.planning.standing import predicted_at_rest

TYPES = ("router", "firewall")
HELD, UNTESTED, FAILED = TrustVerdict.TRUSTED, TrustVerdict.UNTESTED, TrustVerdict.DISTRUSTED


def trusting(process=HELD, curves=HELD, octans=HELD):
    verdicts = {"gaussian-process": process, "curves": curves, "octans": octans}
    return [trust(nf_type, name, verdict) for nf_type in TYPES for name, verdict in verdicts.items()]


def test_a_trusted_process_chooses_the_nodes_and_says_what_it_predicts():
    """By the curves both lose 40 % beside the other; by the process a run of one chain takes nothing of its NFs."""
    body = planned(fleet(trusts=trusting(), processes=PROCESSES))
    curved = planned(fleet(trusts=trusting()))
    assert set(nodes_of(curved).values()) != {0}
    assert nodes_of(body) == {"web.router": 0, "web.firewall": 0}
    [evidence], [prediction] = body.evidence.hosts, body.predictions
    figures = prediction.by_process
    assert evidence.predictor == "gaussian-process"
    assert (prediction.by_curves, prediction.by_chooser) == (None, ("gaussian-process", figures))
    assert figures.throughput_mpps == pytest.approx(10.0, rel=0.01)
    assert figures.low_mpps < figures.throughput_mpps < figures.high_mpps
    assert evidence.score == pytest.approx(figures.throughput_mpps)
    assert body.evidence.predictors == ("gaussian-process",)
    assert all(finding.ok for finding in body.checks)


def test_what_chains_are_offered_is_all_that_bounds_a_process():
    """99 Mpps are offered and 10 carried: nothing is proved. Of 1 Mpps all is carried: no placement carries more."""
    [more] = planned(fleet(trusts=trusting(), processes=PROCESSES)).evidence.hosts
    assert (more.status, more.bound) == ("feasible", 99.0)
    assert more.unproven.startswith("a search under a Gaussian process proves nothing")
    eased = planned(fleet(specs=[chain("web", *TYPES, rate=1.0)], trusts=trusting(), processes=PROCESSES))
    assert (eased.evidence.status, eased.evidence.bound) == ("optimal", pytest.approx(1.0))


@pytest.mark.parametrize(
    ("process", "curves", "octans", "chosen"),
    [
        (HELD, HELD, HELD, "gaussian-process"),
        (HELD, FAILED, FAILED, "gaussian-process"),
        (UNTESTED, UNTESTED, UNTESTED, "curves"),
        (UNTESTED, FAILED, FAILED, "curves"),
        (UNTESTED, FAILED, HELD, "octans"),
        (FAILED, UNTESTED, UNTESTED, "curves"),
        (FAILED, FAILED, FAILED, "curves"),
        (FAILED, FAILED, UNTESTED, "octans"),
    ],
)
def test_only_a_process_that_held_chooses(process, curves, octans, chosen):
    """It may fall with load, and a search goes where its judge errs: what was not tested does not choose."""
    body = planned(fleet(trusts=trusting(process, curves, octans), processes=PROCESSES))
    [evidence] = body.evidence.hosts
    assert evidence.predictor == chosen
    verdict = {"gaussian-process": process, "curves": curves, "octans": octans}[chosen]
    assert {use.trust for use in body.evidence.models} == {verdict}
    assert evidence.doubt is {HELD: None, UNTESTED: Doubt.UNTESTED, FAILED: Doubt.DISTRUSTED}[verdict]


def test_without_a_process_of_every_type_of_one_fit_others_choose():
    for processes in (PROCESSES[:1], (PROCESSES[0], process_of("firewall", version="fit-2"))):
        [evidence] = planned(fleet(trusts=trusting(), processes=processes)).evidence.hosts
        assert evidence.predictor == "curves"


def test_an_algorithm_that_is_asked_for_chooses_by_itself():
    asked = fleet(trusts=trusting(), processes=PROCESSES)
    [evidence] = planned(asked, algorithm=Algorithm.NODE_FIRST).evidence.hosts
    assert evidence.predictor == "octans"


def two_beside(slope=0.04):
    """Two chains that run on one node, where either takes some of the other's throughput."""
    specs = [chain(name, "router", rate=99.0) for name in ("a", "b")]
    stand = [running(one, BIG, [(core, 0)]) for core, one in enumerate(specs)]
    return fleet(stand, specs, trusts=trusting(), processes=[process_of(one, slope) for one in TYPES])


def test_what_runs_moves_where_that_pays_by_the_process():
    body = planned(two_beside(), ReplaceIntent(), ALWAYS)
    gains = [one.by_process.throughput_mpps - one.by_process.before_mpps for one in body.predictions]
    moves = [change for change in body.changes if change.kind == "move"]
    assert len(moves) == 1
    assert sum(gains) > 0.1
    assert sum(change.gain_mpps for change in moves) == pytest.approx(sum(gains), rel=1e-3)
    assert gain_of(two_beside(), body).mpps == pytest.approx(sum(gains), rel=1e-3)
    assert not any(point.proven for point in body.evidence.frontier)


def test_equal_inputs_give_equal_plans():
    assert planned(two_beside(), ReplaceIntent(), ALWAYS) == planned(two_beside(), ReplaceIntent(), ALWAYS)


def test_what_predictors_say_of_what_stands_is_there_to_be_tested():
    found = predicted_at_rest(FleetView.of(two_beside()), [BIG.host_id])[BIG.host_id]
    assert {name: set(chains) for name, chains in found.items()} == {
        "curves": {"a", "b"},
        "gaussian-process": {"a", "b"},
    }
    assert found["gaussian-process"]["a"].version == "assumed-1"
    assert predicted_at_rest(FleetView.of(fleet([running(SPEC, BIG, [(0, 0), (1, 0)])], curves=())), [BIG.host_id]) == {
        BIG.host_id: {"curves": {}, "gaussian-process": {}}
    }


def test_snapshots_and_bodies_without_it_have_the_digests_that_they_had():
    plain = fleet()
    assert "processes" not in plain.model_dump(mode="json")
    assert "by_process" not in planned(plain).model_dump(mode="json")["predictions"][0]
    held = fleet(processes=PROCESSES)
    assert FleetSnapshot.model_validate_json(held.model_dump_json()) == held
    assert digest_of(held) != digest_of(plain)


def test_hosts_are_taken_over_while_their_process_is_the_same():
    """By digest: a new fit with the same figures under another name is another."""
    view = FleetView.of(fleet(processes=PROCESSES))
    hosts = view.snapshot.hosts
    same, other = (
        FleetView.of(fleet(processes=found).model_copy(update={"hosts": hosts}), former=view)
        for found in ([process_of(name) for name in TYPES], [process_of(name, version="fit-2") for name in TYPES])
    )
    assert same.hosts[BIG.host_id] is view.hosts[BIG.host_id]
    assert other.hosts[BIG.host_id] is not view.hosts[BIG.host_id]


def test_a_fit_is_made_once():
    kept = HostProcesses({one.fit.nf_type: one for one in PROCESSES})
    assert kept.made_of("assumed-1", StoredProcess) is kept.made_of("assumed-1", StoredProcess)
    assert by_process(["router", "nat"], kept) is None
    assert by_process([], kept) is None
    with pytest.raises(BadEngineInput):
        kept.made_of("fit-9", StoredProcess)
