"""`chains submit`: from a file to a plan, an operation and an exit status."""

import json
from pathlib import Path

from sextant_domain.plans.operation import OperationState


def test_shows_the_plan_and_how_to_apply_it(console, sextant, chain_file: Path) -> None:
    result = sextant("chains", "submit", str(chain_file))
    assert result.exit_code == 0, result.output
    assert "edge.router" in result.stdout
    assert "sextant plans apply 1 --wait" in result.stdout
    assert console.operations == {}


def test_reads_stdin_and_answers_with_the_json_of_the_api(sextant, chain_file: Path) -> None:
    result = sextant("chains", "submit", "-", "-o", "json", stdin=chain_file.read_text())
    body = json.loads(result.stdout)
    assert body["plan_id"] == 1
    assert body["chain"]["spec"]["nfs"][2] == {
        "type": "basic-monitor",
        "name": "basic-monitor",
        "config": {},
        "cpu_share": None,
        "cpu_quota_percent": None,
    }


def test_apply_and_wait_ends_with_the_operation(console, sextant, chain_file: Path) -> None:
    result = sextant("chains", "submit", str(chain_file), "--apply", "--wait")
    assert result.exit_code == 0, result.output
    assert "operation 1  COMPLETED" in result.stdout
    assert "check     done" in result.stderr


def test_apply_without_wait_returns_at_once(console, sextant, chain_file: Path) -> None:
    result = sextant("chains", "submit", str(chain_file), "--apply")
    assert result.exit_code == 0
    assert "operation 1  QUEUED" in result.stdout
    assert console.operations[1].state is OperationState.QUEUED


def test_plans_again_when_another_plan_came_first(console, sextant, chain_file: Path) -> None:
    console.stale_applies = 2
    result = sextant("chains", "submit", str(chain_file), "--apply", "--wait")
    assert result.exit_code == 0, result.output
    assert sorted(console.plans) == [1, 2, 3]
    assert console.operations[1].plan_id == 3


def test_gives_up_after_three_plans_and_shows_the_difference(console, sextant, chain_file: Path) -> None:
    console.stale_applies = 3
    result = sextant("chains", "submit", str(chain_file), "--apply")
    assert result.exit_code == 4
    assert '{"expected": 3, "actual": 4}' in result.stderr
    assert sorted(console.plans) == [1, 2, 3]
    assert console.operations == {}


def test_waits_while_another_operation_holds_the_host(console, sextant, chain_file: Path) -> None:
    console.busy_applies = 2
    assert sextant("chains", "submit", str(chain_file), "--apply").exit_code == 0
    assert sorted(console.plans) == [1]


def test_no_room_is_status_1_with_what_is_short(console, sextant, chain_file: Path) -> None:
    console.no_room = True
    for more in ((), ("--apply", "--wait")):
        console.chains.clear()
        result = sextant("chains", "submit", str(chain_file), *more)
        assert result.exit_code == 1
        assert "no room for edge: 3 NFs need 3 slots, 2 are free" in result.stdout
        assert "short of 1 core slots on edge-1, node 0" in result.stdout
        assert "next: delete chain old" in result.stdout
    assert console.operations == {}


def test_a_failed_operation_is_status_1_with_its_cause_and_next_steps(console, sextant, chain_file: Path) -> None:
    console.ends_as = OperationState.FAILED_TEMP
    result = sextant("chains", "submit", str(chain_file), "--apply", "--wait")
    assert result.exit_code == 1
    assert "edge-1 did not answer" in result.stderr
    assert "sextant operations retry 1" in result.stderr


def test_a_taken_name_names_the_field(console, sextant, chain_file: Path) -> None:
    sextant("chains", "submit", str(chain_file))
    result = sextant("chains", "submit", str(chain_file))
    assert result.exit_code == 4
    assert "name: 'edge' is taken; choose another" in result.stderr


def test_every_post_carries_its_own_idempotency_key(console, sextant, chain_file: Path) -> None:
    sextant("chains", "submit", str(chain_file), "--apply")
    keys = [headers.get("idempotency-key") for method, _, headers in console.requests if method == "POST"]
    assert len(keys) == 2 and None not in keys and len(set(keys)) == 2


def test_several_files_are_submitted_together(console, sextant, chain_file: Path) -> None:
    other = chain_file.with_name("other.yaml")
    other.write_text(chain_file.read_text().replace("name: edge", "name: other", 1))
    result = sextant("chains", "submit", str(chain_file), str(other), "--apply", "--wait")
    assert result.exit_code == 0, result.output
    assert sorted(console.chains) == ["edge", "other"]
    assert [(plan.id, plan.intent.chains) for plan in console.plans.values()] == [(1, ("edge", "other"))]
    assert [path for _, path, _ in console.requests if path.endswith("/chains/batches")] == ["/api/v1/chains/batches"]


def test_a_file_that_is_wrong_leaves_none_of_them(console, sextant, chain_file: Path) -> None:
    wrong = chain_file.with_name("wrong.yaml")
    wrong.write_text(chain_file.read_text().replace("nfs:", "nfz:", 1))
    assert sextant("chains", "submit", str(chain_file), str(wrong)).exit_code == 2
    assert console.chains == {}
    assert "names an NF of one chain" in sextant("chains", "submit", "a", "b", "--secret", "x.key=y").stderr
