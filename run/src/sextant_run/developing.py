"""The daily commands of a developer: format, algorithms, openapi, single builds."""

import os
import subprocess
import sys

from sextant_run.errors import RunError
from sextant_run.layout import DataLayout
from sextant_run.setup import builds, node

_TABLE_BEGINS, _TABLE_ENDS = "<!-- algorithms: made by `make algorithms` -->", "<!-- end of algorithms -->"
_NUMASFP_BEGINS = "<!-- algorithms of NUMASFP: made by `make algorithms` -->"


def format_code(layout: DataLayout) -> None:
    """ruff, rustfmt and Biome, in place."""
    _run(layout, [sys.executable, "-m", "ruff", "check", "--fix", "--quiet", "--exit-zero", "."])
    _run(layout, [sys.executable, "-m", "ruff", "format", "."])
    for workspace in ("engine", "twin"):
        _run(layout, ["cargo", "fmt"], cwd=workspace)
    layout.make_folders()
    builds.install_node_packages(layout, layout.frontend)
    _npm(layout, "format")


def openapi(layout: DataLayout, *, check: bool) -> None:
    """docs/openapi.json from the backend's code; with `check` nothing is written and a stale one is refused."""
    path = layout.root / "docs" / "openapi.json"
    settings = {"DATABASE_URL": "postgresql+psycopg://nobody@/nothing", "REDIS_URL": "redis://127.0.0.1:1/0"}
    done = subprocess.run(
        [sys.executable, "-m", "sextant_backend", "openapi"],
        env={**settings, **os.environ},
        cwd=layout.root,
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        raise RunError(f"`sextant_backend openapi` failed with {done.returncode}", "fix the cause it printed")
    if check:
        if not path.exists() or path.read_bytes() != done.stdout:
            raise RunError("docs/openapi.json is out of date", "make openapi, then commit it")
        print("docs/openapi.json is what the code says")
        return
    path.write_bytes(done.stdout)
    print(f"{path.relative_to(layout.root)} written")
    layout.make_folders()
    builds.install_node_packages(layout, layout.frontend)
    _npm(layout, "generate")
    builds.make_python_client(layout)


def algorithms(layout: DataLayout) -> None:
    """What is written from the algorithms that the engine's core declares: the domain's enumerations, and the tables in
    docs/engine.md. A test of the engine refuses what is stale."""
    domain = layout.root / "domain" / "src" / "sextant_domain"
    modules = {
        domain / "plans" / "algorithms.py": "python",
        domain / "laws" / "numasfp_algorithms.py": "numasfp-python",
    }
    for module, form in modules.items():
        module.write_text(_algorithms_as(form))
    page = layout.root / "docs" / "engine.md"
    for begins, form in ((_TABLE_BEGINS, "markdown"), (_NUMASFP_BEGINS, "numasfp")):
        before, _, rest = page.read_text().partition(begins)
        _, _, after = rest.partition(_TABLE_ENDS)
        page.write_text(f"{before}{begins}\n{_algorithms_as(form)}{_TABLE_ENDS}{after}")
    for path in (*modules, page):
        print(f"{path.relative_to(layout.root)} written")


def _algorithms_as(form: str) -> str:
    command = [sys.executable, "-m", "sextant_engine", "algorithms", "--as", form]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - our own tool
    if done.returncode != 0:
        raise RunError(f"`sextant_engine algorithms` failed with {done.returncode}", "make setup, then try again")
    return done.stdout


def build(layout: DataLayout, what: str, folder: str) -> None:
    """One build of the set-up; says what it did."""
    layout.make_folders()
    match what:
        case "dataplane":
            result = builds.build_dataplane(layout)
        case "srv6":
            result = builds.build_srv6(layout)
        case "node-packages":
            result = builds.install_node_packages(layout, layout.root / folder)
        case "frontend":
            result = builds.build_frontend(layout)
        case _:
            raise RunError(f"there is no build '{what}'", "dataplane, srv6, node-packages or frontend")
    print(result or "built")


def _npm(layout: DataLayout, script: str) -> None:
    environment = node.environment()
    _run(layout, [*node.npm(), "run", "--silent", script], cwd="frontend", environment=environment)


def _run(layout: DataLayout, command: list[str], *, cwd: str = ".", environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(  # noqa: S603 - our own tools
        command, cwd=layout.root / cwd, env={**os.environ, **(environment or {})}, check=False
    )
    if done.returncode != 0:
        raise RunError(f"{command[-1]} ended with {done.returncode}", "fix what it printed")
