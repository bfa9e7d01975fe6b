"""Plans where pressure curves are trusted: chosen and predicted by these, and nothing is called proved that is not."""

import pytest
from engine_fleets import chain, running
from judged_fleets import ALWAYS, BIG, CURVES, crowded, curves_of, fleet, nodes_of, planned, trust
from sextant_domain.plans.evidence import Algorithm, Doubt
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.trust import TrustVerdict
from sextant_engine import solo_bound
from sextant_engine.errors import PlanningCancelled
from sextant_engine.fleet_view import MoveThresholds
from sextant_engine.planning.gain import gain_of


def test_curves_choose_the_nodes_and_say_what_they_predict():
    """Octans' equations want both NFs where packets arrive; by the curves either loses 40 % beside the other there."""
    body, without = planned(fleet()), planned(fleet(curves=()))
    assert nodes_of(without) == {"web.router": 0, "web.firewall": 0}
    assert set(nodes_of(body).values()) != {0}
    [evidence] = body.evidence.hosts
    assert (evidence.predictor, evidence.status, evidence.improved) == ("curves", "optimal", True)
    [prediction] = body.predictions
    assert evidence.score == pytest.approx(prediction.by_curves.throughput_mpps) == evidence.bound
    assert prediction.by_curves.low_mpps < prediction.by_curves.throughput_mpps < prediction.by_curves.high_mpps
    assert body.evidence.score == evidence.score
    assert without.predictions[0].by_curves is None
    assert without.evidence.hosts[0].predictor == "octans"


def test_what_is_optimal_under_octans_is_a_candidate_and_no_more():
    """Three chains press on each other wherever they stand: the bound, each alone, is not met."""
    specs = [chain(name, "router", "firewall", rate=99.0) for name in ("a", "b", "c")]
    body = planned(fleet(specs=specs), ReplaceIntent())
    [evidence] = body.evidence.hosts
    assert (body.evidence.status, evidence.status) == ("feasible", "feasible")
    assert evidence.unproven.startswith("a search under pressure curves proves nothing")
    assert evidence.bound > evidence.score >= max(one.score for one in evidence.candidates)
    assert {one.algorithm for one in evidence.candidates} == {
        Algorithm.EXACT,
        Algorithm.OCTANS_EXTENDED,
        Algorithm.NODE_FIRST,
    }
    assert next(one.proved for one in evidence.candidates if one.algorithm is Algorithm.EXACT)
    assert [one.score for one in evidence.candidates] == sorted(
        (one.score for one in evidence.candidates), reverse=True
    )
    assert all(finding.ok for finding in body.checks)


@pytest.mark.parametrize("algorithm", [Algorithm.EXACT, Algorithm.NODE_FIRST])
def test_an_algorithm_that_is_asked_for_chooses_by_itself(algorithm):
    [evidence] = planned(fleet(), algorithm=algorithm).evidence.hosts
    assert (evidence.algorithm, evidence.predictor, evidence.candidates) == (algorithm, "octans", ())


def test_without_a_curve_of_every_type_of_one_fit_octans_equations_choose():
    for curves in (CURVES[:1], (CURVES[0], curves_of("firewall", 10.0, "fit-2"))):
        assert planned(fleet(curves=curves)).evidence.hosts[0].predictor == "octans"


@pytest.mark.parametrize(
    ("curves", "octans", "chosen"),
    [
        (TrustVerdict.DISTRUSTED, TrustVerdict.TRUSTED, "octans"),
        (TrustVerdict.DISTRUSTED, TrustVerdict.UNTESTED, "octans"),
        (TrustVerdict.UNTESTED, TrustVerdict.TRUSTED, "octans"),
        (TrustVerdict.UNTESTED, TrustVerdict.UNTESTED, "curves"),
        (TrustVerdict.DISTRUSTED, TrustVerdict.DISTRUSTED, "curves"),
        (TrustVerdict.TRUSTED, TrustVerdict.DISTRUSTED, "curves"),
    ],
)
def test_the_predictor_that_held_better_chooses(curves, octans, chosen):
    trusts = [
        trust(nf_type, predictor, verdict)
        for nf_type in ("router", "firewall")
        for predictor, verdict in (("curves", curves), ("octans", octans))
    ]
    body = planned(fleet(trusts=trusts))
    [evidence] = body.evidence.hosts
    assert evidence.predictor == chosen
    verdict = curves if chosen == "curves" else octans
    assert {use.trust for use in body.evidence.models} == {verdict}
    doubts = {
        TrustVerdict.TRUSTED: None,
        TrustVerdict.UNTESTED: Doubt.UNTESTED,
        TrustVerdict.DISTRUSTED: Doubt.DISTRUSTED,
    }
    assert evidence.doubt is doubts[verdict]


def test_what_runs_moves_where_that_pays_by_the_curves():
    body = planned(crowded(), ReplaceIntent(), ALWAYS)
    [evidence] = body.evidence.hosts
    [prediction] = body.predictions
    moves = [change for change in body.changes if change.kind == "move"]
    gain = prediction.by_curves.throughput_mpps - prediction.by_curves.before_mpps
    assert moves
    assert gain > 0
    assert sum(change.gain_mpps for change in moves) == pytest.approx(gain)
    assert gain_of(crowded(), body).mpps == pytest.approx(gain)
    points = body.evidence.frontier
    assert [point.moves for point in points] == list(range(len(moves) + 1))
    assert (points[0].gain_mpps, points[-1].gain_mpps) == (0.0, pytest.approx(gain))
    assert not any(point.proven for point in points)
    assert evidence.score == pytest.approx(prediction.by_curves.throughput_mpps)


def test_a_chain_that_is_kept_stays_under_curves_too():
    """The plan above, but web is kept."""
    free, kept = planned(crowded(), ReplaceIntent(), ALWAYS), planned(crowded(), ReplaceIntent(keep=("web",)), ALWAYS)
    assert {change.chain for change in free.changes} == {"web"}
    assert kept.changes == () and all(finding.ok for finding in kept.checks)


def test_what_runs_stays_where_a_move_gains_less_than_the_margin():
    assert planned(crowded(), ReplaceIntent(), MoveThresholds(margin_mpps=99.0)).changes == ()
    assert planned(crowded(), ReplaceIntent(), MoveThresholds(move_price_mpps=99.0)).changes == ()


def test_no_more_moves_than_asked_for():
    three = [chain(name, "router", "firewall", rate=99.0) for name in ("a", "b")]
    asked = fleet([running(one, BIG, [(2 * n, 0), (2 * n + 1, 0)]) for n, one in enumerate(three)], three)
    assert len(planned(asked, ReplaceIntent(), ALWAYS).changes) > 1
    assert len(planned(asked, ReplaceIntent(), ALWAYS, max_moves=1).changes) == 1
    assert planned(asked, ReplaceIntent(), ALWAYS, max_moves=0).changes == ()


def test_where_too_many_placements_would_have_to_be_judged_alone_what_is_offered_bounds(monkeypatch):
    monkeypatch.setattr(solo_bound, "MOST_WAYS", 0)
    body = planned(fleet())
    assert body.evidence.score < body.evidence.bound == pytest.approx(99.0)
    assert body.evidence.status == body.evidence.hosts[0].status == "feasible"


def test_equal_inputs_give_equal_plans():
    assert planned(crowded(), ReplaceIntent(), ALWAYS, seed=4) == planned(crowded(), ReplaceIntent(), ALWAYS, seed=4)


def test_without_time_the_best_candidate_is_taken():
    [evidence] = planned(fleet(), time_limit_s=0.0).evidence.hosts
    assert (evidence.predictor, evidence.improved) == ("curves", False)


def test_a_plan_that_nobody_wants_ends_while_it_is_judged():
    stages = []

    def cancel(progress):
        stages.append(progress.stage)
        return progress.stage == "solving" and stages.count("solving") > 1

    with pytest.raises(PlanningCancelled, match="solving"):
        planned(fleet(), watch=cancel)


def test_reasons_say_whose_figures_they_are():
    [one, *_] = planned(fleet()).changes
    assert "by Octans' equations" in one.reason
