"""Builds with gcc's sanitizers, and harnesses of a folder `fuzz/` that replay a corpus and seeded mutations of it."""

import subprocess
from pathlib import Path

OPTIONS = ("-Dfuzz=true", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1", "-Ddebug=false")
ARGUMENTS = "-Dc_args=['-fno-sanitize-recover=all', '-g1']"
"""Line numbers for what a sanitizer says; more of either takes the compiler longer than it spares the harnesses."""
SEED = "1"


def sanitized_build(project: Path, log: Path, *targets: str) -> Path:
    """The folder of such a build of a meson project; made when it is not there, otherwise what changed is built."""
    folder = project / "build" / "sanitized"
    setup = ["meson", "setup", str(folder), str(project), *OPTIONS, ARGUMENTS]
    build = ["ninja", "-C", str(folder), *targets]
    for command in [build] if (folder / "build.ninja").exists() else [setup, build]:
        with log.open("wb") as output:
            done = subprocess.run(command, stdout=output, stderr=output, check=False)
        assert done.returncode == 0, log.read_text()[-3000:]
    return folder


def replay(build: Path, corpus: Path, mutations: int, folder: Path) -> None:
    """The harness that is named like its corpus; what it found a sanitizer speak at lies in `folder`."""
    command = [str(build / "fuzz" / f"fuzz-{corpus.name}"), str(corpus), str(mutations), SEED]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-6000:]
    assert f"{mutations + len(list(corpus.iterdir()))} inputs" in done.stderr
