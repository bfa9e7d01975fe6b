"""The first stage needs sh, coreutils and findutils, and names what is missing with the command that installs it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COREUTILS = (
    "sh",
    "dirname",
    "sed",
    "id",
    "date",
    "tail",
    "mkdir",
    "chmod",
    "cat",
    "cut",
    "sha256sum",
    "env",
    "rm",
    "grep",
    "sort",
    "find",
    "xargs",
    "touch",
)
TOOLS = ("gcc", "meson", "ninja", "pkg-config", "setpriv", "unshare", "flock")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Enough of a clone for the first stage."""
    for folder in ("run", "engine/core/src", "twin/core/src", "home"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("bootstrap.sh", "rust.sh", "pyproject.toml"):
        shutil.copy(ROOT / "run" / name, tmp_path / "run" / name)
    bootstrap = tmp_path / "run" / "bootstrap.sh"
    assert "/usr/bin/python3" in bootstrap.read_text()
    # The distribution's Python, which is looked for outside of PATH, is a stand-in's or is not there, too.
    bootstrap.write_text(bootstrap.read_text().replace("/usr/bin/python3", str(tmp_path / "bin" / "distribution")))
    for name in ("pyproject.toml", "uv.lock", "engine/Cargo.toml", "twin/Cargo.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def _pinned_uv(clone: Path) -> str:
    (version,) = re.findall(r'"uv==([0-9.]+)"', (clone / "run/pyproject.toml").read_text())
    return str(version)


def _stand_in(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def _bootstrap(
    clone: Path, *tools: str, command: str = "up", variables: dict[str, str] | None = None, **files: str
) -> subprocess.CompletedProcess[str]:
    """Run it with nothing but `tools` on PATH; `files` are stand-ins for programs, in sh."""
    path = clone / "bin"
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        _stand_in(path / name.replace("_", "-"), text)
    for tool in (*COREUTILS, *tools):
        found = shutil.which(tool)
        if found and not (path / tool).exists():  # never write through one of these links: they lead to /usr/bin
            (path / tool).symlink_to(found)
    return subprocess.run(
        ["/bin/sh", str(clone / "run" / "bootstrap.sh"), command],
        env={"PATH": str(path), "HOME": str(clone / "home"), **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


PYTHON = f'exec {sys._base_executable} "$@"'  # type: ignore[attr-defined]
FULL_DISK = "[ $1 = -c ] && exit 0\necho no room on the disk\nexit 1"
"""A Python that passes the check and fails the step after the prerequisites."""
NEW_CARGO = "echo 'cargo 1.96.0 (30a34c682 2026-05-25)'"
OLD_CARGO = "echo 'cargo 1.65.0'"
ROOT_USER = "echo 0"
OF_TESTS = {
    "chromium_headless_shell": "exit 0",
    "fc_list": "echo Liberation",
    "ldconfig": "echo libfuse3.so.3",
    **dict.fromkeys(("clang", "bpftool", "tc", "ethtool"), "exit 0"),
}
"""Stand-ins for what `make test` needs besides."""


def test_what_is_missing_is_named_with_the_command(clone: Path) -> None:
    done = _bootstrap(clone)  # no apt-get on PATH: nothing may be installed
    packages = "python3 python3-venv gcc libc6-dev util-linux meson ninja-build pkg-config libdpdk-dev libjansson-dev"
    libraries = "libpcap-dev libhyperscan-dev libndpi-dev libipsec-mb-dev"
    assert done.returncode == 1
    assert f"{packages} {libraries}" in done.stderr
    assert "sudo sh -c 'apt-get update && apt-get install -y" in done.stderr
    assert "Rust 1.88 or newer is missing" in done.stderr
    assert "Next: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" in done.stderr
    assert not (clone / ".venv").exists()


def test_only_what_is_missing_is_named(clone: Path) -> None:
    """by `make test`, which needs all; fonts, browser and libfuse are stood in for."""
    done = _bootstrap(
        clone, *TOOLS, command="test", python3=PYTHON, pkg_config='[ "$2" != libdpdk ]', cargo=NEW_CARGO, **OF_TESTS
    )
    assert done.returncode == 1
    assert "(by Debian's names): libdpdk-dev \n" in done.stderr
    assert "Rust" not in done.stderr


def test_a_library_without_a_pc_file_is_asked_of_the_compiler(clone: Path) -> None:
    done = _bootstrap(
        clone,
        *TOOLS,
        command="test",
        python3=PYTHON,
        pkg_config="exit 0",
        gcc='[ "$1" != -E ]',
        cargo=NEW_CARGO,
        **OF_TESTS,
    )
    assert done.returncode == 1
    assert "(by Debian's names): libipsec-mb-dev \n" in done.stderr


def test_what_only_the_data_plane_needs_stops_nobody_else(clone: Path) -> None:
    """It goes on to the step after: here the one in which the stand-in for Python fails."""
    lacking = {"python3": FULL_DISK, "pkg_config": '[ "$2" != libdpdk ]', "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, **lacking)
    assert "there, those of the data plane excepted" in done.stdout
    assert "python -m venv failed" in done.stderr


@pytest.mark.parametrize(
    ("variables", "installs"),
    [({}, True), ({"SEXTANT_LAB_HOSTS": "0"}, False), ({"SEXTANT_DATAPLANE": "0"}, False)],
)
def test_root_gets_what_hosts_of_measured_packets_take(clone: Path, variables: dict[str, str], installs: bool) -> None:
    root = {"id": ROOT_USER, "apt_get": "exit 0"}
    lacking = {"python3": FULL_DISK, "pkg_config": '[ "$2" != libbpf ]', "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, variables=variables, **root, **lacking, **OF_TESTS | {"clang": "exit 0"})
    assert ("Installing libbpf-dev" in done.stdout) is installs
    assert "python -m venv failed" in done.stderr, "it goes on"


def test_root_who_cannot_have_them_goes_on_as_well(clone: Path) -> None:
    root = {"id": ROOT_USER, "apt_get": "exit 100"}
    lacking = {"python3": FULL_DISK, "pkg_config": '[ "$2" != libdpdk ]', "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, **root, **lacking)
    assert "Installing libdpdk-dev" in done.stdout
    assert "It could not be installed: .data/log/bootstrap.log" in done.stdout
    assert "python -m venv failed" in done.stderr


def test_a_python_that_is_too_old_does_not_count(clone: Path) -> None:
    done = _bootstrap(clone, *TOOLS, python3="exit 1", cargo=NEW_CARGO)
    assert done.returncode == 1
    assert "(by Debian's names): python3 python3-venv" in done.stderr


def test_the_python_of_the_distribution_comes_first(clone: Path) -> None:
    """It passes the check and fails the step after: what it says shows whom the step has run."""
    stands_in = {"distribution": FULL_DISK, "python3": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, **stands_in)
    assert "no room on the disk" in done.stderr


def test_the_python_that_is_named_comes_before_it(clone: Path) -> None:
    stands_in = {"named": FULL_DISK, "distribution": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, variables={"SEXTANT_PYTHON": "named"}, **stands_in)
    assert "no room on the disk" in done.stderr


def test_a_named_python_that_cannot_be_used_is_refused(clone: Path) -> None:
    stands_in = {"named": "exit 1", "distribution": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, variables={"SEXTANT_PYTHON": "named"}, **stands_in)
    assert done.returncode == 1
    assert "SEXTANT_PYTHON: named is no Python 3.11 to 3.14" in done.stderr


def test_a_rust_that_is_too_old_does_not_count(clone: Path) -> None:
    done = _bootstrap(clone, *TOOLS, python3=PYTHON, pkg_config="exit 0", cargo=OLD_CARGO, **OF_TESTS)
    assert done.returncode == 1
    assert "Rust 1.88 or newer is missing" in done.stderr
    assert "by Debian's names" not in done.stderr


def test_the_rust_of_rustup_counts_where_path_does_not_name_it(clone: Path) -> None:
    _stand_in(clone / "home" / ".cargo" / "bin" / "cargo", NEW_CARGO)
    done = _bootstrap(clone, *TOOLS, python3=FULL_DISK, pkg_config="exit 0", cargo=OLD_CARGO)
    assert "python -m venv failed" in done.stderr


def test_root_gets_the_rust_of_debian_that_is_new_enough(clone: Path) -> None:
    """Debian 12: rustc 1.63, rustc-web 1.96. The stand-in for apt-get leaves a cargo where that one is asked for."""
    _stand_in(clone / "bin" / "cargo-of-apt", NEW_CARGO)
    policy = "[ $2 = rustc-web ] && echo '  Candidate: 1.96.0+dfsg1-1~deb12u2' || echo '  Candidate: 1.63.0+dfsg1-2'"
    install = (
        f"case $* in *'cargo-web rustfmt-web rust-web-clippy'*) cp {clone}/bin/cargo-of-apt {clone}/bin/cargo;; esac"
    )
    root = {"id": ROOT_USER, "apt_get": install, "apt_cache": policy}
    done = _bootstrap(clone, *TOOLS, "cp", python3=FULL_DISK, pkg_config="exit 0", **root)
    assert "Installing cargo-web rustfmt-web rust-web-clippy" in done.stdout
    assert "python -m venv failed" in done.stderr


def test_root_gets_the_rust_of_rustup_where_apt_has_none(clone: Path) -> None:
    """The stand-in for curl hands over an installer that leaves a cargo in ~/.cargo/bin."""
    _stand_in(clone / "bin" / "cargo-of-rustup", NEW_CARGO)
    installer = (
        f"echo mkdir -p {clone}/home/.cargo/bin; echo cp {clone}/bin/cargo-of-rustup {clone}/home/.cargo/bin/cargo"
    )
    root = {"id": ROOT_USER, "apt_get": "exit 0", "apt_cache": "echo '  Candidate: (none)'", "curl": installer}
    done = _bootstrap(clone, *TOOLS, "cp", python3=FULL_DISK, pkg_config="exit 0", **root)
    assert "python -m venv failed" in done.stderr


def test_root_is_told_where_neither_has_it(clone: Path) -> None:
    root = {"id": ROOT_USER, "apt_get": "exit 0", "apt_cache": "exit 0", "curl": "exit 6"}
    done = _bootstrap(clone, *TOOLS, python3=FULL_DISK, pkg_config="exit 0", **root)
    assert done.returncode == 1
    assert "Rust 1.88 or newer is missing" in done.stderr


UV = """echo "$@" >>{calls}
case $* in
--version) echo uv {version} ;;
*learn*) {learn} ;;
esac"""


def _learning(clone: Path, *, learn: str, variables: dict[str, str] | None = None) -> tuple[str, list[str]]:
    """What is printed where .venv is there but for its packages, and how uv was called."""
    calls = clone / "uv-calls"
    calls.unlink(missing_ok=True)
    _stand_in(clone / ".venv/bin/python", PYTHON)
    _stand_in(clone / ".venv/bin/uv", UV.format(calls=calls, version=_pinned_uv(clone), learn=learn))
    for native in ("engine/src/sextant_engine", "twin/src/sextant_twin"):
        (clone / native).mkdir(parents=True, exist_ok=True)
        (clone / native / "_core.abi3.so").touch()
    stands_in = {"python3": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, command="python", variables=variables, **stands_in)
    assert done.returncode == 0, done.stderr
    called = calls.read_text().splitlines() if calls.exists() else []
    return done.stdout, [call for call in called if call != "--version"]


def test_what_trains_networks_is_installed_once(clone: Path) -> None:
    _, (all_else, learn) = _learning(clone, learn="exit 0")
    assert "--reinstall-package sextant-engine" in all_else and "learn" not in all_else
    assert learn.endswith("--extra learn")
    assert _learning(clone, learn="exit 0") == ("", [])


def test_all_else_goes_on_where_it_cannot_be_had(clone: Path) -> None:
    """It is tried once and then no more, until somebody asks for it."""
    printed, calls = _learning(clone, learn="echo no such host; exit 1")
    assert len(calls) == 2
    assert "No networks are trained here: JAX could not be installed: .data/log/bootstrap-learn.log" in printed
    assert "Next: make python SEXTANT_LEARN=1" in printed
    assert (clone / ".data/log/bootstrap-learn.log").read_text() == "no such host\n"
    assert _learning(clone, learn="exit 0") == ("", [])
    _, (again,) = _learning(clone, learn="exit 0", variables={"SEXTANT_LEARN": "1"})
    assert again.endswith("--extra learn")


def test_who_wants_no_training_gets_none(clone: Path) -> None:
    _, calls = _learning(clone, learn="exit 0", variables={"SEXTANT_LEARN": "0"})
    assert len(calls) == 1 and "learn" not in calls[0]


def test_a_failed_step_shows_the_end_of_its_log_and_stops(clone: Path) -> None:
    done = _bootstrap(clone, *TOOLS, python3=FULL_DISK, pkg_config="exit 0", cargo=NEW_CARGO)
    assert done.returncode == 1
    assert "no room on the disk" in done.stderr
    assert "python -m venv failed. The whole output: .data/log/bootstrap.log" in done.stderr
    assert not (clone / ".venv" / ".sextant-stamp").exists()


@pytest.mark.parametrize("folder", ["engine", "twin"])
def test_a_changed_rust_file_builds_the_native_cores_again_and_nothing_else_does(clone: Path, folder: str) -> None:
    """The stand-in for uv counts its syncs and leaves both native cores, as a sync does."""
    native, source, syncs = (
        f"{folder}/src/sextant_{folder}/_core.abi3.so",
        clone / folder / "core/src/a.rs",
        clone / "syncs",
    )
    natives = [f"{one}/src/sextant_{one}/_core.abi3.so" for one in ("engine", "twin")]
    for one in natives:
        (clone / one).parent.mkdir(parents=True)
    sync = f"touch {' '.join(natives)}; echo synced >>{syncs}"
    _stand_in(clone / ".venv/bin/uv", f"if [ $1 = --version ]; then echo uv {_pinned_uv(clone)}; else {sync}; fi")
    _stand_in(clone / ".venv/bin/python", PYTHON)

    def syncs_so_far() -> int:
        stands_in = {"python3": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
        done = _bootstrap(clone, *TOOLS, command="python", variables={"SEXTANT_LEARN": "0"}, **stands_in)
        assert done.returncode == 0, done.stderr
        return len(syncs.read_text().splitlines())

    source.write_text("// one\n")
    assert syncs_so_far() == 1
    assert syncs_so_far() == 1
    source.write_text("// two\n")
    assert syncs_so_far() == 2
    (clone / folder / "target").mkdir()
    (clone / folder / "target/generated.rs").write_text("// not a source\n")
    assert syncs_so_far() == 2
    (clone / native).unlink()
    assert syncs_so_far() == 3


def test_what_is_started_keeps_its_bytecode_wherever_the_environment_forbids_it(clone: Path) -> None:
    """The stand-in for Python says `python [unset]` where it is to run sextant_run."""
    _stand_in(clone / ".venv/bin/uv", f"echo uv {_pinned_uv(clone)}")
    told = '[ "$2" != sextant_run ] || { echo "python [${PYTHONDONTWRITEBYTECODE-unset}]"; exit; }'
    _stand_in(clone / ".venv/bin/python", f"{told}\n{PYTHON}")
    stands_in = {"python3": PYTHON, "pkg_config": "exit 0", "cargo": NEW_CARGO}
    done = _bootstrap(clone, *TOOLS, variables={"PYTHONDONTWRITEBYTECODE": "1"}, **stands_in)
    assert "python [unset]" in done.stdout, done.stderr
