"""Every suite, and which may run beside which on two cores."""

import sys
from dataclasses import replace
from pathlib import Path

from sextant_run.layout import DataLayout
from sextant_run.setup import node
from sextant_run.suites.cargo import CargoLog
from sextant_run.suites.junit import JUnit
from sextant_run.suites.suite import BEHIND_LIMIT_S, Suite

PACKAGES = ("domain", "engine", "twin", "agent", "backend", "worker", "client", "cli", "run", "lab")

PROCESSES = {
    "agent": ("-n2", "--dist=loadgroup"),
    "backend": ("-n2", "--dist=loadfile"),
    "worker": ("-n3", "--dist=worksteal"),
}
"""Of suites that wait more than they compute: for leases to run out, for retries, for agents. Every process has servers
of its own."""

BUILDS = ("dataplane-build", "srv6-build")
AFTER = {"agent": BUILDS, "dataplane": BUILDS}
"""Packages whose tests run what others have built."""

REAL_SERVERS = ("agent", "backend", "worker", "run")
"""Packages whose tests start servers and agents and wait for them; those of the others compute."""

E2E_PARTS = ("packets", "pages")
"""Installations that end-to-end stories run on side by side; ("",): one for all."""

RUST = {"engine": "sextant-core", "twin": "sextant-twin-core"}
"""Cargo workspaces, each with the package that is tested there."""

Lane = tuple[Suite, ...]
Phase = tuple[Lane, ...]
"""Lanes of a phase run side by side, suites of a lane one after the other."""


def phases(layout: DataLayout, results: Path) -> tuple[Phase, ...]:
    """All suites in the order of `make test`: first what is quick to say. Then real servers, and behind them, in what
    they leave of the processors while they wait, what only computes, on two lanes: one alone would use one processor
    when the servers are done. The agent comes after the data plane's tests, which bear no other runner; the deployment
    last, when the pages that it serves are built. The console's tests, which alone take as many processors as there
    are, come last of what is behind. End-to-end tests, which measure time, end the run, with nothing beside them."""
    tests = {package: _pytest(layout, results, package) for package in PACKAGES}
    unit = tuple(tests[package] for package in PACKAGES if package not in (*REAL_SERVERS, *RUST))
    pages, console = _frontend(layout, results)
    servers = (
        (tests["backend"], tests["worker"]),
        (
            _dataplane_build(layout),
            *_srv6(layout),
            *_dataplane(layout, results),
            tests["agent"],
            tests["run"],
            _pytest(layout, results, "deploy"),
        ),
    )
    of_cores = tuple(suite for folder in RUST for suite in (_rust_tests(layout, results, folder), tests[folder]))
    return (
        _stage("lint and types", _python_checks(layout), _rust_checks(layout), _node_checks(layout)),
        (
            *_stage("real servers", *servers),
            *_stage("unit", _behind(pages, *unit), _behind(*of_cores, console)),
        ),
        _stage("e2e", *((_e2e(layout, results, part),) for part in E2E_PARTS)),
    )


def _stage(name: str, *lanes: Lane) -> Phase:
    return tuple(tuple(replace(suite, stage=name) for suite in lane) for lane in lanes)


def _behind(*suites: Suite) -> Lane:
    return tuple(replace(suite, behind=True, limit_s=BEHIND_LIMIT_S) for suite in suites)


def _python_checks(layout: DataLayout) -> Lane:
    folders = tuple(f"{package}/src" for package in PACKAGES)
    run = (sys.executable, "-m")
    rooms = layout.dataplane / "check_rooms.py"
    return (
        _check(layout, "ruff", *run, "ruff", "check", "."),
        _check(layout, "ruff-format", *run, "ruff", "format", "--check", "."),
        _check(layout, "mypy", *run, "mypy", *folders),
        _stubtest(layout, "engine"),
        _stubtest(layout, "twin"),
        _check(layout, "import-contracts", str(Path(sys.executable).with_name("lint-imports"))),
        _check(layout, "dataplane-rooms", sys.executable, str(rooms), needs=rooms),
        _check(
            layout, "openapi", *run, "sextant_run", "openapi", "--check", needs=layout.root / "docs" / "openapi.json"
        ),
        *_deployment_checks(layout),
    )


def _deployment_checks(layout: DataLayout) -> Lane:
    """What can be said of containers without one; whether what they name is there, pytest-deploy asks."""
    tools, compose = Path(sys.executable), layout.root / "docker-compose.yml"
    image = layout.root / "deploy" / "Dockerfile"
    schema = (str(tools.with_name("check-jsonschema")), "--builtin-schema", "vendor.compose-spec", str(compose))
    return (
        _check(layout, "compose-schema", *schema, needs=compose),
        _check(layout, "hadolint", str(tools.with_name("hadolint")), str(image), needs=image),
    )


def _stubtest(layout: DataLayout, folder: str) -> Suite:
    """What _core.pyi says of a native core, against the core as it is built."""
    run = (sys.executable, "-m", "mypy.stubtest", f"sextant_{folder}._core", "--mypy-config-file", "pyproject.toml")
    return Suite(
        name=f"stubtest-{folder}",
        command=run,
        needs=layout.root / folder / "binding",
        cwd=layout.root,
        environment={"MYPYPATH": f"{folder}/src"},
        lint=True,
    )


def _rust_checks(layout: DataLayout) -> Lane:
    return tuple(
        suite
        for folder in RUST
        for suite in (
            _cargo(layout, "cargo-fmt", folder, "fmt", "--check"),
            _clippy(layout, folder),
        )
    )


def _clippy(layout: DataLayout, folder: str) -> Suite:
    """What both workspaces depend on is read once: in one target folder, at one level of optimisation, which reading
    does not want anyway."""
    suite = _cargo(layout, "cargo-clippy", folder, "clippy", "--locked", "--all-targets", "--", "-D", "warnings")
    shared = {"CARGO_TARGET_DIR": _shared_target(layout), "CARGO_PROFILE_DEV_OPT_LEVEL": "0"}
    return replace(suite, environment={**suite.environment, **shared})


def _rust_tests(layout: DataLayout, results: Path, folder: str) -> Suite:
    """Of the Cargo workspace in `folder`: the tests of its core, since its binding is tested from Python. What both
    workspaces depend on is compiled once."""
    arguments = ("test", "--locked", "--package", RUST[folder], "--tests", "--no-fail-fast")
    suite = _cargo(layout, "cargo-test", folder, *arguments)
    environment = {**suite.environment, "CARGO_TARGET_DIR": _shared_target(layout)}
    return replace(suite, count=CargoLog(results / f"{suite.name}.log"), environment=environment, lint=False)


def _shared_target(layout: DataLayout) -> str:
    return str(layout.root / "engine" / "target")


def _cargo(layout: DataLayout, name: str, folder: str, *arguments: str) -> Suite:
    """What a later compilation would want is not kept: that costs a fifth of this one. Nor are line numbers."""
    return Suite(
        name=f"{name}-{folder}",
        command=("cargo", *arguments),
        needs=layout.root / folder / "Cargo.lock",
        cwd=layout.root / folder,
        environment={"CARGO_TERM_COLOR": "never", "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"},
        lint=True,
    )


def _node_checks(layout: DataLayout) -> Lane:
    """`npm ci` from the committed locks is itself a check: a lock that does not fit package.json fails here."""
    return (
        _install(layout, "frontend"),
        _npm(layout.frontend, "biome", "lint", lint=True),
        _npm(layout.frontend, "tsc", "typecheck", lint=True),
        _install(layout, "e2e"),
        _npm(layout.root / "e2e", "e2e-biome", "lint", lint=True),
        _npm(layout.root / "e2e", "e2e-tsc", "typecheck", lint=True),
    )


def _install(layout: DataLayout, folder: str) -> Suite:
    command = (sys.executable, "-m", "sextant_run", "build", "node-packages", folder)
    needs = layout.root / folder / "package-lock.json"
    return _check(layout, f"npm-{folder}", *command, needs=needs, lint=False)


def _frontend(layout: DataLayout, results: Path) -> tuple[Suite, Suite]:
    """The pages, and the console's tests."""
    junit = results / "vitest.xml"
    vitest = (node.node(), "node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=junit")
    return (
        _check(layout, "frontend-build", sys.executable, "-m", "sextant_run", "build", "frontend", lint=False),
        Suite(
            name="vitest",
            command=(*vitest, f"--outputFile.junit={junit}"),
            needs=layout.frontend / "package.json",
            cwd=layout.frontend,
            count=JUnit(junit),
            environment=node.environment(),
            after=("npm-frontend",),
        ),
    )


def _pytest(layout: DataLayout, results: Path, package: str) -> Suite:
    junit = results / f"pytest-{package}.xml"
    return Suite(
        name=f"pytest-{package}",
        command=(
            sys.executable,
            "-m",
            "pytest",
            package,
            *PROCESSES.get(package, ()),
            f"--junitxml={junit}",
            "--durations=5",
        ),
        needs=layout.root / package / "tests",
        cwd=layout.root,
        count=JUnit(junit),
        after=AFTER.get(package, ()),
    )


def _dataplane_build(layout: DataLayout) -> Suite:
    command = (sys.executable, "-m", "sextant_run", "build", "dataplane")
    return _check(layout, "dataplane-build", *command, needs=layout.dataplane / "meson.build", lint=False)


def _dataplane(layout: DataLayout, results: Path) -> Lane:
    build = layout.dataplane / "build"
    return (
        Suite(
            name="dataplane",
            command=("meson", "test", "-C", str(build), "--print-errorlogs", "--no-rebuild"),
            needs=layout.dataplane / "tests",
            cwd=layout.root,
            count=JUnit(build / "meson-logs" / "testlog.junit.xml"),
            after=("dataplane-build",),
        ),
        _pytest(layout, results, "dataplane"),
    )


def _srv6(layout: DataLayout) -> Lane:
    """The build, which names what it lacks (clang, libbpf-dev, libjansson-dev ...), and the tests in C; those with
    namespaces are among the data plane's tests in Python."""
    folder = layout.dataplane / "srv6"
    command = (sys.executable, "-m", "sextant_run", "build", "srv6")
    return (
        _check(layout, "srv6-build", *command, needs=folder / "meson.build", lint=False),
        Suite(
            name="srv6",
            command=("meson", "test", "-C", str(folder / "build"), "--print-errorlogs", "--no-rebuild"),
            needs=folder / "tests",
            cwd=layout.root,
            count=JUnit(folder / "build" / "meson-logs" / "testlog.junit.xml"),
            after=("srv6-build",),
        ),
    )


def _e2e(layout: DataLayout, results: Path, part: str) -> Suite:
    """The stories of a part (e2e/playwright.config.ts says which), on an installation of their own; "": all of them."""
    name = f"e2e-{part}" if part else "e2e"
    folder, junit = layout.root / "e2e", results / f"{name}.xml"
    return Suite(
        name=name,
        command=(node.node(), "node_modules/@playwright/test/cli.js", "test", "--reporter=list,junit"),
        needs=folder / "package.json",
        cwd=folder,
        count=JUnit(junit),
        after=("npm-e2e",),
        environment={
            **node.environment(),
            "PLAYWRIGHT_JUNIT_OUTPUT_FILE": str(junit),
            "SEXTANT_E2E_PART": part,
        },
    )


def _check(layout: DataLayout, name: str, *command: str, needs: Path | None = None, lint: bool = True) -> Suite:
    return Suite(name=name, command=command, needs=needs or layout.root, cwd=layout.root, lint=lint)


def _npm(folder: Path, name: str, script: str, *, lint: bool = False) -> Suite:
    return Suite(
        name=name,
        command=(*node.npm(), "run", "--silent", script),
        needs=folder / "package.json",
        cwd=folder,
        environment=node.environment(),
        lint=lint,
    )
