"""Commands that change something: plans, migration, operations, deletion."""

import json
from pathlib import Path

import pytest
from sextant_domain.base import Provenance
from sextant_domain.plans.evidence import Algorithm, Doubt, HostEvidence, ModelUse
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState, Worse
from sextant_domain.plans.trust import TrustVerdict


@pytest.fixture
def planned(sextant, chain_file: Path):
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    return sextant


def rest_on(console, trust: TrustVerdict | None, why: str | None) -> None:
    """Plan 1 is optimal by one model, of nids."""
    plan = console.plans[1]
    assert plan.body is not None
    use = ModelUse(
        nf_type="nids",
        host_model="xeon",
        version="fit-1",
        provenance=Provenance.PREDICTED,
        trust=trust,
        trust_why=why,
    )
    evidence = plan.body.evidence.model_copy(update={"status": "optimal", "models": (use,)})
    console.plans[1] = plan.model_copy(update={"body": plan.body.model_copy(update={"evidence": evidence})})


def test_apply_names_the_digest_of_the_plan_that_was_read(planned, console) -> None:
    assert planned("plans", "apply", "1", "--wait").exit_code == 0
    (headers,) = [headers for method, path, headers in console.requests if path.endswith("/plans/1/apply")]
    assert headers["if-match"] == f'"{console.plans[1].digest}"'


def test_a_stale_plan_is_refused_and_not_made_again(planned, console) -> None:
    console.stale_applies = 1
    result = planned("plans", "apply", "1")
    assert result.exit_code == 4
    assert "edge-1 has moved on; nothing was applied" in result.stderr
    assert console.plans[1].state is PlanState.SUPERSEDED and sorted(console.plans) == [1]


def test_a_plan_on_distrusted_predictions_needs_a_second_word(planned, console) -> None:
    """Nothing is sent without --yes, and the refusal says which predictions did not hold, why, and the next step."""
    rest_on(console, TrustVerdict.DISTRUSTED, "3 outcomes, mean error 27.0 %, more than 5 %")
    shown = planned("plans", "show", "1").stdout
    assert "best under distrusted models" in shown and ": optimal" not in shown
    refused = planned("plans", "apply", "1")
    assert refused.exit_code == 4 and console.operations == {}
    for text in ("nids on", "mean error 27.0 %", "sextant plans apply 1 --yes"):
        assert text in refused.stderr
    assert planned("plans", "apply", "1", "--yes", "--wait").exit_code == 0


def test_what_is_best_by_models_that_nobody_tested_is_not_called_optimal(planned, console) -> None:
    rest_on(console, None, None)
    assert "best under untested models" in planned("plans", "show", "1").stdout
    listed = planned("plans", "list").stdout
    assert "best under untested models" in listed and "optimal" not in listed


def test_hosts_of_a_plan_say_what_was_tested_of_each_and_why_it_is_not_proved(planned, console) -> None:
    rest_on(console, TrustVerdict.TRUSTED, None)
    plan = console.plans[1]
    figures = {"algorithm": Algorithm.EXACT, "score": 7.9, "bound": 8.0, "evaluations": 5}
    hosts = (
        HostEvidence(host="edge-1", status="optimal", **figures),
        HostEvidence(host="edge-2", status="optimal", doubt=Doubt.UNTESTED, **figures),
        HostEvidence(host="edge-3", status="feasible", unproven="the search ended at its limit of time", **figures),
    )
    evidence = plan.body.evidence.model_copy(update={"hosts": hosts})
    console.plans[1] = plan.model_copy(update={"body": plan.body.model_copy(update={"evidence": evidence})})
    shown = planned("plans", "show", "1").stdout
    rows = {line.split()[0]: line for line in shown.splitlines() if line.startswith("edge-")}
    assert "best under untested models" in rows["edge-2"] and "best under" not in rows["edge-1"]
    assert " optimal " in rows["edge-1"] and " feasible " in rows["edge-3"]
    assert "not proved on edge-3: the search ended at its limit of time" in shown


def test_reject_puts_a_plan_aside(planned, console) -> None:
    assert "rejected" in planned("plans", "reject", "1").stdout
    assert console.plans[1].state is PlanState.REJECTED


def test_migrate_stays_on_the_host_unless_another_is_named(planned, console) -> None:
    assert planned("migrate", "edge.firewall", "--core", "0").exit_code == 0
    intent = console.plans[2].intent
    assert (intent.nf_id, intent.host, intent.core) == ("edge.firewall", "edge-1", 0)
    assert console.operations == {}
    assert planned("migrate", "edge.firewall", "--core", "0", "--apply", "--wait").exit_code == 0
    assert console.operations[1].plan_id == 3


def test_migrate_of_a_stranger_is_bad_input(sextant) -> None:
    result = sextant("migrate", "no.body", "--core", "0")
    assert result.exit_code == 2
    assert "there is no no.body" in result.stderr


def test_asking_without_a_chain_plans_the_fleet_and_applies_on_request(planned, console) -> None:
    assert planned("plans", "ask", "--algorithm", "brute", "--seed", "3").exit_code == 0
    assert console.plans[2].intent.kind == "replace"
    assert planned("plans", "ask", "--apply", "--wait").exit_code == 0


def test_delete_names_the_version_that_was_read(planned, console) -> None:
    result = planned("chains", "delete", "edge", "--wait", "-o", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["state"] == "COMPLETED"


@pytest.mark.parametrize(("options", "asked"), [((), {}), (("--lanes",), {"lanes": "true"})])
def test_delete_takes_further_lanes_along_where_that_is_asked(planned, console, options, asked) -> None:
    assert planned("chains", "delete", "edge", *options, "--wait").exit_code == 0
    assert console.deleted_with == asked


def test_retry_after_a_failure_ends_well(planned, console) -> None:
    console.ends_as = OperationState.FAILED_TEMP
    assert planned("plans", "apply", "1", "--wait").exit_code == 1
    assert planned("operations", "watch", "1").exit_code == 1
    result = planned("operations", "retry", "1", "--wait")
    assert result.exit_code == 0, result.output
    assert "COMPLETED" in result.stdout


def test_an_operation_that_waits_for_its_host_says_that_it_goes_on_by_itself(planned, console) -> None:
    console.ends_as, console.waits_for_host = OperationState.FAILED_TEMP, True
    result = planned("plans", "apply", "1", "--wait")
    assert result.exit_code == 1
    assert "continues when the host is back" in result.stderr
    assert "sextant operations watch 1" in result.stderr
    assert "continues by itself when the host is back" in planned("operations", "show", "1").stdout


def test_undo_plans_the_way_back_and_carries_it_out_on_request(planned, console) -> None:
    planned("plans", "apply", "1", "--wait")
    result = planned("operations", "undo", "1")
    assert result.exit_code == 0, result.output
    assert "undo operation 1" in result.stdout and sorted(console.operations) == [1]
    assert planned("operations", "undo", "1", "--host", "edge-1", "--apply", "--wait").exit_code == 0
    assert (console.plans[3].intent.kind, console.plans[3].intent.hosts) == ("restore", ("edge-1",))
    assert console.operations[2].plan_id == 3


def test_what_gets_worse_is_reported_with_the_plan_and_once_more_before_it_is_applied(planned, console) -> None:
    console.worse = (Worse(chain="edge", what="throughput", detail="6.60 -> 6.20 Mpps"),)
    assert "worse: edge: 6.60 -> 6.20 Mpps" in planned("migrate", "edge.firewall", "--core", "0").stdout
    assert "worse: edge: 6.60 -> 6.20 Mpps" in planned("plans", "apply", "2").stderr


def test_one_host_is_re_placed_alone(planned, console) -> None:
    assert planned("plans", "ask", "--host", "edge-1").exit_code == 0
    assert console.plans[2].intent.host == "edge-1"
    assert planned("plans", "ask", "--host", "edge-1", "--chain", "edge").exit_code == 2


def test_a_wished_rollback_is_no_failure(planned, console) -> None:
    console.ends_as = OperationState.FAILED_TEMP
    planned("plans", "apply", "1", "--wait")
    result = planned("operations", "rollback", "1", "--wait")
    assert result.exit_code == 0, result.output
    assert "ROLLED_BACK" in result.stdout


def test_an_action_that_is_not_possible_is_refused_with_its_reason(planned, console) -> None:
    planned("plans", "apply", "1", "--wait")
    result = planned("operations", "cancel", "1")
    assert result.exit_code == 4
    assert "operation 1 has ended" in result.stderr


def test_delete_reads_again_where_the_chain_changed_meanwhile(planned, console) -> None:
    console.changed_meanwhile = 2
    assert planned("chains", "delete", "edge").exit_code == 0
    console.changed_meanwhile = 3
    assert planned("chains", "delete", "edge").exit_code == 4


def test_a_deletion_is_asked_for_again_where_its_host_got_another_order_meanwhile(planned, console) -> None:
    console.moved_on = 2
    assert planned("chains", "delete", "edge").exit_code == 0
    assert console.moved_on == 0


def test_a_chain_is_moved_to_the_host_that_is_named(planned, console) -> None:
    assert planned("chains", "relocate", "edge", "--host", "edge-2").exit_code == 0
    intent = console.plans[2].intent
    assert (intent.kind, intent.chain, intent.host) == ("relocate", "edge", "edge-2")
    assert console.operations == {}
    assert planned("chains", "relocate", "edge", "--host", "edge-2", "--apply", "--wait").exit_code == 0
    assert console.operations[1].plan_id == 3
    assert planned("chains", "relocate", "edge").exit_code == 2, "without a host"


def test_two_chains_change_places_and_what_that_may_cost_goes_to_the_console(planned, console) -> None:
    relocate = ("chains", "relocate", "edge", "--host", "edge-2")
    assert planned(*relocate, "--exchange", "dns", "--exchange", "nat").exit_code == 0
    assert console.plans[2].intent.exchange == ("dns", "nat")
    costs = ("--most-lost-packets", "1100000", "--most-pause-ms", "5500")
    assert planned(*relocate, "--exchange", "dns", "--apply", *costs).exit_code == 0
    assert console.loss_budget == {"most_packets": 1_100_000, "most_pause_ms": 5500.0}
    assert planned("operations", "undo", "1", "--apply", *costs[:2]).exit_code == 0
    assert console.loss_budget == {"most_packets": 1_100_000}
    itself = planned(*relocate, "--exchange", "edge")
    assert (itself.exit_code, "names a chain twice" in itself.stderr) == (2, True)
    for undecided in (relocate, ("operations", "undo", "1")):
        assert planned(*undecided, *costs).exit_code == 2, "nothing is applied that could cost it"


def test_a_chain_is_carried_in_more_lanes(planned, console) -> None:
    assert planned("chains", "scale", "edge", "--lanes", "2").exit_code == 0
    intent = console.plans[2].intent
    assert (intent.kind, intent.chain, intent.weights) == ("lanes", "edge", (1, 1))
    assert planned("chains", "scale", "edge", "--weights", "3,1", "--apply", "--wait").exit_code == 0
    assert (console.plans[3].intent.weights, console.operations[1].plan_id) == ((3, 1), 3)
    assert planned("chains", "scale", "edge", "--lanes", "3", "--host", "edge-2").exit_code == 0
    assert console.plans[4].intent.hosts == {"edge-lane-2": "edge-2", "edge-lane-3": "edge-2"}
    assert planned("chains", "scale", "edge", "--lanes", "3", "--host", "edge-2", "--host", "edge-3").exit_code == 0
    assert console.plans[5].intent.hosts == {"edge-lane-2": "edge-2", "edge-lane-3": "edge-3"}
    two = ["--host", "edge-2", "--host", "edge-3"]
    for wrong in (["--lanes", "1", "--host", "edge-2"], ["--lanes", "2", *two], ["--lanes", "2", "--host", "?"]):
        assert planned("chains", "scale", "edge", *wrong).exit_code == 2, wrong
    for wrong in ([], ["--lanes", "9"], ["--lanes", "2", "--weights", "1"], ["--weights", "a"], ["--weights", "17"]):
        assert planned("chains", "scale", "edge", *wrong).exit_code == 2, wrong


def test_a_host_in_service_is_cordoned_before_it_is_drained(planned, console) -> None:
    refused = planned("hosts", "drain", "edge-1")
    assert refused.exit_code == 2
    assert "edge-1 is in service: draining it cordons it" in refused.stderr
    assert (console.cordoned, sorted(console.plans)) == (None, [1])
    done = planned("hosts", "drain", "edge-1", "--reason", "new memory")
    assert "edge-1 is cordoned by ada: new memory; to undo: sextant hosts uncordon edge-1" in done.stderr
    assert (console.cordoned, console.plans[2].intent.kind) == ("new memory", "drain")
    assert planned("hosts", "drain", "edge-1", "--apply", "--wait").exit_code == 0, "it is cordoned by now"
    assert console.operations[1].plan_id == 3


def test_a_plan_is_applied_in_batches(planned, console) -> None:
    assert planned("plans", "apply", "1", "--hosts-at-once", "5", "--wait").exit_code == 0
    assert console.hosts_at_once == 5
    assert planned("plans", "apply", "1", "--hosts-at-once", "0").exit_code == 2
