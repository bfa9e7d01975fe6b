"""`sextant models`, `sextant trust` and `sextant outcomes`."""

import json

from sextant_cli.commands.trust import inside_intervals
from sextant_domain.plans.trust import Outcome

from .shelf_of_models import AN_OUTCOME, HOST_MODEL


def test_models_and_fits_are_listed(console, sextant) -> None:
    lines = [line.split()[:3] for line in sextant("models").stdout.splitlines()]
    assert lines == [["MODEL", "NF", "TYPE"], ["1", "firewall", "2"], ["2", "nat", "2"]]
    assert "too few samples" in sextant("models", "list").stdout
    fits = sextant("models", "fits").stdout.splitlines()
    assert fits[1].startswith("1") or fits[1].split()[0] == "1"
    assert "firewall, nat" in fits[1] and "cycles" in fits[1]
    assert json.loads(sextant("models", "-o", "json").stdout)["items"][0]["nf_type"] == "firewall"


def test_a_fit_is_shown_with_its_metric_and_what_cannot_be_used(console, sextant) -> None:
    shown = sextant("models", "show", "1").stdout
    assert "metric cycles (nearest: no metric qualifies), scale 2.5, 80 samples (measured) in 31 ms" in shown
    assert "nat: too few samples: 2 of 3 'local'" in shown
    assert "3.0 points" in shown and "0.6 %" in shown
    assert "sextant models promote 1" in shown
    assert "nothing was held out" in shown, "of predictors without samples there are no rows"
    assert sextant("models", "show", "9").exit_code == 2


def test_a_promotion_names_what_plans_use_now_and_is_repeated_where_it_came_too_late(console, sextant) -> None:
    console.models.changed_meanwhile = 1
    done = sextant("models", "promote", "1", "--nf-type", "firewall")
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        f"plans use fit 1 of firewall on {HOST_MODEL}\n"
        "nat: left out, too few samples: 2 of 3 'local'; profile it again so that these points are measured\n"
    )
    assert console.models.sent == {"nf_types": ["firewall"]}
    sextant("models", "promote", "1")
    assert console.models.sent == {"nf_types": None}


def test_what_goes_back_to_an_older_model_or_to_none_is_promoted_only_when_it_is_said(console, sextant) -> None:
    """firewall is at fit 2 and nids at fit 3, of another scale; fit 1 is promoted."""
    console.models.in_use, console.models.retires = 2, ("nids",)
    refused = sextant("models", "promote", "1")
    assert (refused.exit_code, console.models.sent) == (4, {})
    said = " ".join(refused.output.split())
    assert "an older model than now of firewall and assumed figures of nids (metric or scale differs)" in said
    assert "To do it anyway, add --yes" in said
    done = sextant("models", "promote", "1", "--yes")
    assert "firewall: fit 2 retired, which is newer\n" in done.stdout
    assert "nids: fit 3 retired, plans use assumed figures" in done.stdout


def test_a_fit_is_asked_for_and_waited_for(console, sextant) -> None:
    asked = sextant("models", "fit", HOST_MODEL)
    assert asked.exit_code == 0, asked.output
    assert asked.stdout == f"fit 1  fitting  {HOST_MODEL}\n"
    assert "fit 1  done" in sextant("models", "fit", HOST_MODEL, "--wait").stdout


def test_trust_and_outcomes_say_how_right_predictions_were(console, sextant) -> None:
    trust = sextant("trust").stdout
    assert "distrusted" in trust and "14.2" in trust and "3 of 6 outcomes inside their intervals" in trust
    outcomes = sextant("outcomes", "--chain", "web-edge").stdout
    assert (
        "8.9000 simulated" in outcomes and "9.0000" in outcomes and "informative" in outcomes and "held-out" in outcomes
    )
    assert "-1.1" in outcomes.split(), "100 (8.9 - 9) / 9, as every page says"
    header, row, inside = outcomes.splitlines()
    assert inside == "octans: 1 of 1 measured chains inside their intervals (held-out 1 of 1)"
    assert "LIMITED BY" in header and "TESTS" in header
    assert row.split()[2:5] == ["web-edge.firewall", "web-edge.nat", "nat"], "what another NF limits tests its model"
    assert json.loads(sextant("trust", "-o", "json").stdout)[0]["verdict"] == "distrusted"


def test_outcomes_count_each_placed_chain_once_by_where_its_interval_came_from() -> None:
    """Of plan 7 the newer window counts, which lies outside; plan 8's is inside, plan 9's chain had no interval. What
    curves predicted of plan 8 is counted apart."""

    def one(plan_id: int, low: float | None, measured: float, predictor: str = "time-sharing") -> Outcome:
        known = {"low_mpps": low, "high_mpps": low and 0.102, "interval_source": None if low is None else "spare"}
        return AN_OUTCOME.model_copy(
            update={"plan_id": plan_id, "predictor": predictor, "measured_mpps": measured, **known}
        )

    newer = [one(9, None, 1.0), one(8, 0.098, 0.1), one(8, 0.098, 0.1, "curves"), one(7, 0.098, 0.09)]
    assert list(inside_intervals([*newer, one(7, 0.098, 0.1)])) == [
        "time-sharing: 1 of 2 measured chains inside their intervals (spare 1 of 2, 1 had none)",
        "curves: 1 of 1 measured chains inside their intervals (spare 1 of 1)",
    ]
    assert list(inside_intervals([])) == []
