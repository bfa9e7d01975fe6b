"""`sextant chains adjust`: what is sent, and what is said of it."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def planned(sextant, chain_file: Path):
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    return sextant


def test_a_rate_is_sent_with_the_rest_of_the_traffic(planned, console) -> None:
    before = console.chains["edge"].traffic.model_dump(mode="json")
    result = planned("chains", "adjust", "edge", "--rate-mpps", "0.7", "--wait")
    assert result.exit_code == 0, result.output
    assert "COMPLETED" in result.stdout and "Adjust edge on edge-1" in result.stdout
    assert console.adjusted == {"traffic": {**before, "rate_mpps": 0.7}}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        (["--pause"], {"paused": True}),
        (["--resume"], {"paused": False}),
        (["--execution", "run-to-completion"], {"execution": "run-to-completion"}),
        (["--share-bounds", "5:80"], {"share_bounds": {"least_percent": 5, "most_percent": 80}}),
        (
            ["--share-bounds", "5:80:rate-cost"],
            {"share_bounds": {"least_percent": 5, "most_percent": 80, "law": "rate-cost"}},
        ),
        (["--share-bounds", "none"], {"share_bounds": None}),
        (
            ["--quota-bounds", "5000:10:80"],
            {"quota_bounds": {"max_p95_us": 5000, "least_percent": 10, "most_percent": 80}},
        ),
        (
            ["--quota-bounds", "5000:10:80:ways=2-6:bandwidth=20"],
            {
                "quota_bounds": {
                    "max_p95_us": 5000,
                    "least_percent": 10,
                    "most_percent": 80,
                    "least_ways": 2,
                    "most_ways": 6,
                    "least_bandwidth_percent": 20,
                }
            },
        ),
        (["--quota-bounds", "none"], {"quota_bounds": None}),
        (["--cpu", "router=300"], {"nfs": {"router": {"cpu_share": 300}}}),
        (["--cpu", "router=300:40"], {"nfs": {"router": {"cpu_share": 300, "cpu_quota_percent": 40}}}),
        (
            ["--cpu", "router=:12.5", "--cpu", "firewall=none"],
            {"nfs": {"router": {"cpu_quota_percent": 12.5}, "firewall": {"cpu_share": None}}},
        ),
        (["--config", "router.routes=[1, 2]"], {"nfs": {"router": {"config": {"routes": [1, 2]}}}}),
        (
            ["--config", "router.routes=none", "--cpu", "router=300", "--config", 'router.seed={"a": 1}'],
            {"nfs": {"router": {"cpu_share": 300, "config": {"routes": None, "seed": {"a": 1}}}}},
        ),
        (
            [
                "--config",
                'wall.rules=[{"action": "deny", "dst_port": [53, 53]}]',
                "--config",
                'wall.default_action="deny"',
            ],
            {
                "nfs": {
                    "wall": {"config": {"rules": [{"action": "deny", "dst_port": [53, 53]}], "default_action": "deny"}}
                }
            },
        ),
        (["--cpu", "router=none:none"], {"nfs": {"router": {"cpu_share": None, "cpu_quota_percent": None}}}),
    ],
)
def test_each_option_is_one_setting(planned, console, options, sent) -> None:
    assert planned("chains", "adjust", "edge", *options).exit_code == 0
    assert console.adjusted == sent


@pytest.mark.parametrize("cpu", ["router", "=300", "router=", "router=fast", "router=1.5", "router=300:", "router=:x"])
def test_a_wish_that_cannot_be_read_is_bad_input(planned, console, cpu) -> None:
    result = planned("chains", "adjust", "edge", "--cpu", cpu)
    assert result.exit_code == 2
    assert "NF=SHARE[:QUOTA]" in result.stderr
    assert console.adjusted == {}


@pytest.mark.parametrize(
    "bounds", ["", "5", "5:", ":80", "5-80", "5.5:80", "-5:80", "5:80:", "5:80:fair", "5:80:rate-cost:1"]
)
def test_share_bounds_that_cannot_be_read_are_bad_input(planned, console, bounds) -> None:
    result = planned("chains", "adjust", "edge", f"--share-bounds={bounds}")
    assert result.exit_code == 2
    assert "LEAST:MOST[:LAW]" in result.stderr
    assert console.adjusted == {}


@pytest.mark.parametrize(
    "bounds",
    ["", "5000", "5000:5", "0:5:80", "-1:5:80", "nan:5:80", "inf:5:80", "5000:5.5:80",
     "5000:5:80:", "5000:5:80:ways=2", "5000:5:80:ways=2-", "5000:5:80:bandwidth=", "5000:5:80:bandwidth=20:ways=2-6"],
)  # fmt: skip
def test_quota_bounds_that_cannot_be_read_are_bad_input(planned, console, bounds) -> None:
    result = planned("chains", "adjust", "edge", f"--quota-bounds={bounds}")
    assert result.exit_code == 2
    assert "P95_US:LEAST:MOST" in result.stderr
    assert console.adjusted == {}


@pytest.mark.parametrize(
    "config", ["router", "router=1", "router.=1", ".routes=1", "router.routes", "router.routes=[1", "router.a=NaN"]
)
def test_a_configuration_that_cannot_be_read_is_bad_input(planned, console, config) -> None:
    result = planned("chains", "adjust", "edge", "--config", config)
    assert result.exit_code == 2
    assert "NF.SETTING=JSON" in result.stderr
    assert console.adjusted == {}


def test_no_setting_is_bad_input(planned) -> None:
    result = planned("chains", "adjust", "edge")
    assert result.exit_code == 2
    assert "give at least one setting of edge" in result.stderr


def test_what_the_console_refuses_names_its_field(planned) -> None:
    result = planned("chains", "adjust", "edge", "--cpu", "ghost=5")
    assert result.exit_code == 2
    assert "nfs.ghost" in result.stderr


def test_it_reads_again_where_the_chain_changed_meanwhile(planned, console) -> None:
    console.changed_meanwhile = 2
    assert planned("chains", "adjust", "edge", "--pause").exit_code == 0
    console.changed_meanwhile = 3
    assert planned("chains", "adjust", "edge", "--pause").exit_code == 4


def test_a_chain_that_runs_nowhere_says_that_no_host_was_ordered(planned, console) -> None:
    console.placed_nowhere = True
    result = planned("chains", "adjust", "edge", "--pause")
    assert "no host received an order" in result.stdout
    found = json.loads(planned("chains", "adjust", "edge", "--pause", "-o", "json").stdout)
    assert found["spec"]["name"] == "edge"


def test_a_paused_chain_says_so_in_the_list(planned, console) -> None:
    console.chains["edge"] = console.chains["edge"].model_copy(update={"paused": True})
    assert "running, paused" in planned("chains", "list").stdout
