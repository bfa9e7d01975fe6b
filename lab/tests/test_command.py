"""The lab as a process: progress lines, cancel, repeat, refusals."""

import json
import signal
import subprocess
import sys
from pathlib import Path

SMALL = """
name = "small"
summary = "Two NFs."
kind = "prediction"
placements = 2
seeds = [1, 2]
[server]
machine = "xeon-e5-2650-v4"
[[nf]]
name = "router"
[[nf]]
name = "nat"
[[set]]
name = "pair"
chains = [["router", "nat"]]
"""


def lab(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sextant_lab", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_check_run_show_and_repeat(tmp_path: Path) -> None:
    scenario, out = tmp_path / "small.toml", tmp_path / "small.json"
    scenario.write_text(SMALL)
    assert lab("check", scenario).stdout == "small: 2 runs of 2 NF types, 1 sets, 2 placements each\n"
    ran = lab("run", scenario, "--out", out)
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert lines[-1] == {"done": 4, "of": 4, "what": "done", "seconds_left": 0.0}
    assert "octans-lms" in lab("show", out).stdout
    assert lab("repeat", out).stdout.endswith("equal in every figure\n")
    found = json.loads(out.read_text())
    found["predictions"][0]["carried_mpps"] += 0.001
    out.write_text(json.dumps(found))
    again = lab("repeat", out)
    assert again.returncode == 1 and "figures differ" in again.stdout


def test_sigterm_cancels_and_leaves_nothing(tmp_path: Path) -> None:
    scenario, out = tmp_path / "small.toml", tmp_path / "small.json"
    scenario.write_text(SMALL.replace("[1, 2]", str(list(range(100)))).replace("placements = 2", "placements = 500"))
    command = [sys.executable, "-m", "sextant_lab", "run", str(scenario), "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert json.loads(process.stdout.readline())["done"] == 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 3
        assert process.stderr.read() == "cancelled: the study was cancelled; nothing was written\n"
    assert list(tmp_path.iterdir()) == [scenario]


def test_refusals_name_the_field_and_end_with_2(tmp_path: Path) -> None:
    scenario = tmp_path / "small.toml"
    scenario.write_text(SMALL.replace("seeds", "sedes"))
    refused = lab("run", scenario, "--out", tmp_path / "out.json")
    assert (refused.returncode, refused.stderr) == (2, "refused: sedes: is unknown: remove it\n")
    scenario.write_text(SMALL)
    assert "there is no folder" in lab("run", scenario, "--out", tmp_path / "none" / "out.json").stderr
    assert "is small.toml a result" in lab("show", scenario).stderr
