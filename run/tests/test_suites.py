"""`make test` counts what its tools say, and never calls a suite that could not run passed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sextant_run.errors import RunError
from sextant_run.layout import DataLayout
from sextant_run.suites import runner
from sextant_run.suites.cargo import CargoLog
from sextant_run.suites.junit import JUnit, count
from sextant_run.suites.suite import Counts, Suite
from sextant_run.suites.table import phases

from .conftest import ROOT

CASES = """<testsuites><testsuite>
<testcase name="a"/><testcase classname="m" name="b"><failure message="1 == 2&#10;more"/></testcase>
<testcase name="c"><error/></testcase>
<testcase name="d"><skipped/></testcase><testcase name="e"/></testsuite></testsuites>"""


def _suite(folder: Path, name: str, code: str, **options: Any) -> Suite:
    return Suite(name=name, command=(sys.executable, "-c", code), needs=folder, cwd=folder, **options)


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[bool, list[str]]]:
    """Run suites of the test's own; returns the verdict and the lines printed."""
    monkeypatch.setattr(runner, "stop_on_signals", lambda: None)

    def go(*suites: Suite, names: tuple[str, ...] = ()) -> tuple[bool, list[str]]:
        monkeypatch.setattr(runner, "phases", lambda _layout, _results: ((suites,),))
        ok = runner.run(DataLayout(root=tmp_path, data=tmp_path / "d"), list(names), lint=False)
        return ok, capsys.readouterr().out.splitlines()

    return go


def test_junit_counts_errors_as_failed_and_skipped_as_neither(tmp_path: Path) -> None:
    (tmp_path / "j.xml").write_text(CASES)
    assert count(tmp_path / "j.xml") == Counts(passed=2, failed=2, skipped=1, names=("m b: 1 == 2", "c"))


@pytest.mark.parametrize(
    ("content", "status", "counts"),
    [
        ("<testsuite><testcase/></testsuite>", 0, Counts(1, 0)),
        ("<testsuite><testcase/></testsuite>", 2, Counts(1, 1)),  # broke after its tests
        ("<testsuite/>", 0, Counts(0, 1)),  # ran none
        ("<testsuite", 1, Counts(0, 1)),  # broke while writing
        (None, 0, Counts(0, 1)),  # wrote nothing
    ],
)
def test_a_suite_that_broke_or_ran_nothing_is_failed(
    tmp_path: Path, content: str | None, status: int, counts: Counts
) -> None:
    if content is not None:
        (tmp_path / "j.xml").write_text(content)
    assert JUnit(tmp_path / "j.xml")(status) == counts


def test_failed_tests_are_named_where_a_reader_ends(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    """Of a long log only its end may be at hand."""
    write = f"open({str(tmp_path / 'j.xml')!r}, 'w').write({CASES!r}); raise SystemExit(1)"
    _, lines = run(_suite(tmp_path, "one", write, count=JUnit(tmp_path / "j.xml")), _suite(tmp_path, "two", "pass"))
    assert lines[-3:] == ["failed: one: m b: 1 == 2", "failed: one: c", "4 passed, 2 failed"]


PROGRAMS = """running 3 tests
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
running 3 tests
test bound::never_below_the_best ... FAILED
test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""


@pytest.mark.parametrize(
    ("log", "status", "counts"),
    [
        (PROGRAMS, 101, Counts(4, 1, 1, ("bound::never_below_the_best",))),
        (PROGRAMS.splitlines()[1], 0, Counts(2, 0, 1)),
        (PROGRAMS.splitlines()[1] + "\nerror: could not compile", 101, Counts(2, 1, 1)),
        ("error: could not compile", 101, Counts(0, 1)),
        ("", 0, Counts(0, 1)),  # ran none
    ],
)
def test_cargo_counts_every_test_program(tmp_path: Path, log: str, status: int, counts: Counts) -> None:
    (tmp_path / "cargo-test.log").write_text(log)
    assert CargoLog(tmp_path / "cargo-test.log")(status) == counts


def test_the_last_line_is_the_sum(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    ok, lines = run(_suite(tmp_path, "one", "pass"), _suite(tmp_path, "two", "print('why'); raise SystemExit(4)"))
    assert not ok
    assert lines[-1] == "2 passed, 1 failed"  # one, and that nothing was left running
    assert any("why" in line for line in lines)
    assert (tmp_path / "test-results" / "two.log").read_text() == "why\n"
    ok, lines = run(_suite(tmp_path, "one", "pass"))
    assert ok
    assert lines[-1] == "2 passed, 0 failed"


def test_a_suite_whose_folder_is_missing_fails(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    absent = Suite(name="e2e", command=("true",), needs=tmp_path / "e2e", cwd=tmp_path / "e2e")
    ok, lines = run(absent)
    assert not ok
    assert any("cannot run" in line and "e2e" in line for line in lines)


def test_a_suite_that_hangs_is_ended_and_failed(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    began = time.monotonic()
    ok, lines = run(_suite(tmp_path, "hangs", "import time; time.sleep(600)", limit_s=1.0))
    assert not ok
    assert time.monotonic() - began < 30
    assert any("ended after 1 s" in line for line in lines)


def test_a_suite_behind_the_others_yields_to_every_session(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path
) -> None:
    code = (
        "import os, pathlib; shares = pathlib.Path('/proc/self/autogroup');"
        "print(os.nice(0), shares.read_text() if shares.exists() else '')"
    )
    assert run(_suite(tmp_path, "before", code), _suite(tmp_path, "behind", code, behind=True))[0]
    nice = {name: (tmp_path / "test-results" / f"{name}.log").read_text().split() for name in ("before", "behind")}
    before, behind = ([int(words[at]) for at in (0, -1)] for words in (nice["before"], nice["behind"]))
    assert behind == [min(19, before[0] + 15), 15], "19 is the most there is"


def test_cpu_time_is_counted_of_what_puts_itself_in_the_background_too(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path
) -> None:
    """An installation does so: its parent is gone while it computes. The suite ends when it has."""
    burn = "import time\nwhile time.process_time() < 1.0: pass"
    start = f"import subprocess,sys; print(subprocess.Popen([sys.executable, '-c', {burn!r}], stdout=2).pid)"
    code = (
        "import pathlib,subprocess,sys,time\n"
        f"pid = subprocess.check_output([sys.executable, '-c', {start!r}], text=True).strip()\n"
        "while pathlib.Path('/proc', pid).exists(): time.sleep(0.02)"
    )
    ok, lines = run(_suite(tmp_path, "up", code, stage="e2e"), _suite(tmp_path, "idle", "pass", stage="e2e"))
    assert ok, lines
    spent = {words[1]: float(words[-3]) for line in lines if (words := line.split())[-1:] == ["CPU"]}
    assert 1 <= spent["up"] < 10
    assert spent["e2e"] == pytest.approx(spent["up"] + spent["idle"], abs=1), "each is rounded"


def test_a_command_that_is_not_there_fails_with_its_name(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path
) -> None:
    ok, lines = run(Suite(name="e2e", command=("no-such-tool",), needs=tmp_path, cwd=tmp_path))
    assert not ok
    assert any("cannot run no-such-tool" in line for line in lines)


def test_every_suite_has_a_stage(layout: DataLayout) -> None:
    stages = [suite.stage for phase in phases(layout, layout.data) for lane in phase for suite in lane]
    assert set(stages) == {"lint and types", "unit", "real servers", "e2e"}


def test_every_suite_runs_once_and_agents_not_beside_the_data_planes_tests(layout: DataLayout) -> None:
    """Those look for what runners left on the machine, whosever they were."""
    lanes = [[suite.name for suite in lane] for phase in phases(layout, layout.data) for lane in phase]
    names = [name for lane in lanes for name in lane]
    assert len(set(names)) == len(names)
    assert {f"pytest-{folder.parent.name}" for folder in ROOT.glob("*/tests") if any(folder.glob("test_*.py"))} <= set(
        names
    )
    with_runners = next(lane for lane in lanes if "pytest-dataplane" in lane)
    assert with_runners.index("dataplane-build") < with_runners.index("pytest-dataplane")
    assert with_runners.index("pytest-dataplane") < with_runners.index("pytest-agent")


def test_nothing_runs_beside_stories_that_measure(layout: DataLayout) -> None:
    """But stories of pages."""
    assert [[suite.name for suite in lane] for lane in phases(layout, layout.data)[-1]] == [
        ["e2e-packets"],
        ["e2e-pages"],
    ]


def test_two_lanes_compute_behind_the_servers(layout: DataLayout) -> None:
    """One would use one processor once the servers are done. The pages, which the deployment serves, are built first;
    the console's tests, which alone take all processors that they find, come last."""
    _, servers_and_behind, _ = phases(layout, layout.data)
    first, second = ([suite.name for suite in lane] for lane in servers_and_behind if lane[0].behind)
    assert first[0] == "frontend-build" and second[-1] == "vitest"
    assert set(first[1:]) == {"pytest-domain", "pytest-client", "pytest-cli", "pytest-lab"}
    assert set(second[:-1]) == {"cargo-test-engine", "pytest-engine", "cargo-test-twin", "pytest-twin"}
    assert all(suite.behind for lane in servers_and_behind[2:] for suite in lane)


def test_every_story_is_in_one_part(layout: DataLayout) -> None:
    """As Playwright itself lists them."""
    suites = {suite.name: suite for phase in phases(layout, layout.data) for lane in phase for suite in lane}

    def stories(part: str) -> list[str]:
        suite = suites["e2e-packets"]
        done = subprocess.run(
            (*suite.command[:3], "--list", "--reporter=list"),
            cwd=suite.cwd,
            env={**os.environ, **suite.environment, "SEXTANT_E2E_PART": part},
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.strip() for line in done.stdout.splitlines() if " \u203a " in line]

    packets, pages = stories("packets"), stories("pages")
    assert packets and pages
    assert sorted([*packets, *pages]) == sorted(stories(""))


def test_a_stale_junit_file_is_not_counted(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    (tmp_path / "j.xml").write_text("<testsuite><testcase/></testsuite>")
    ok, _ = run(_suite(tmp_path, "stale", "pass", count=JUnit(tmp_path / "j.xml")))
    assert not ok


def test_a_process_left_behind_fails_the_run_and_is_ended(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path, wait_for: Callable[..., Any]
) -> None:
    left = "import subprocess,sys; print(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)"
    ok, lines = run(_suite(tmp_path, "untidy", left))
    assert not ok
    pid = int((tmp_path / "test-results" / "untidy.log").read_text())
    assert any(f"left running: {pid} sleep 600" in line for line in lines)
    wait_for(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text())


def test_suites_get_a_temporary_folder_that_is_gone_afterwards(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path
) -> None:
    code = "import tempfile; print(tempfile.mkdtemp())"
    run(_suite(tmp_path, "temp", code))
    folder = Path((tmp_path / "test-results" / "temp.log").read_text().strip())
    assert folder.parent.name.startswith("sx-")
    assert not folder.parent.exists()


def test_an_unknown_suite_is_refused_with_the_known_ones(
    run: Callable[..., tuple[bool, list[str]]], tmp_path: Path
) -> None:
    with pytest.raises(RunError, match="there is no suite nonsense") as refused:
        run(_suite(tmp_path, "ruff", "pass"), names=("nonsense",))
    assert "ruff" in refused.value.next_step


def test_a_suite_brings_along_what_it_comes_after(run: Callable[..., tuple[bool, list[str]]], tmp_path: Path) -> None:
    made = tmp_path / "made"
    build = Suite(name="build", command=("touch", str(made)), needs=tmp_path, cwd=tmp_path)
    tests = Suite(name="tests", command=("test", "-f", str(made)), needs=tmp_path, cwd=tmp_path, after=("build",))
    ok, _ = run(build, tests, names=("tests",))
    assert ok and made.exists()


def test_what_a_suite_comes_after_runs_before_it(layout: DataLayout) -> None:
    """In its lane, or in a phase before its own."""
    all_phases = phases(layout, layout.data)
    for number, phase in enumerate(all_phases):
        earlier = {suite.name for before in all_phases[:number] for lane in before for suite in lane}
        for lane in phase:
            for place, suite in enumerate(lane):
                assert {*suite.after} <= earlier | {before.name for before in lane[:place]}, suite.name


def test_an_interrupted_run_leaves_no_process(tmp_path: Path, wait_for: Callable[..., Any]) -> None:
    code = (
        "import pathlib,sys; from sextant_run.layout import DataLayout; from sextant_run.suites import runner;"
        "from sextant_run.suites.suite import Suite;"
        f"here = pathlib.Path({str(tmp_path)!r});"
        "suite = Suite('s', ('sh', '-c', 'sleep 600 & echo $!; wait'), here, here);"
        "runner.phases = lambda _layout, _results: (((suite,),),);"
        "runner.run(DataLayout(root=here, data=here / 'd'), [], lint=False)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    log = tmp_path / "test-results" / "s.log"
    sleeper = int(wait_for(lambda: log.exists() and log.read_text().strip()))
    os.kill(child.pid, 2)
    assert child.wait(timeout=30) != 0
    wait_for(lambda: not Path(f"/proc/{sleeper}").exists())
