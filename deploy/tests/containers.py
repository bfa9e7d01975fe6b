"""Processes run as docker-compose.yml and deploy/Dockerfile say, without Docker: that user, that environment, that
command, over wheels in an environment of their own, which is not theirs to write to.

Paths of the image lie below a folder here, and ports are free ones; all else is as it stands in the files.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.tests.files import DEPLOY, ROOT, image_environment, services

UID = 10001
START_LIMIT_S = 90.0
PATHS = ("/opt/sextant", "/var/lib/sextant", "/run/secrets", "/tmp")
CONFINED = (
    *("setpriv", "--reuid", str(UID), "--regid", str(UID), "--clear-groups", "--no-new-privs"),
    *("--inh-caps=-all", "--bounding-set=-all", "--"),
)


def interpreter() -> str:
    """A Python that another user may run: not one in root's home."""
    named = sorted(Path("/usr/local/bin").glob("python3.1?")) + sorted(Path("/usr/bin").glob("python3.1?"))
    for path in (Path(getattr(sys, "_base_executable", sys.executable)), *named):
        found = path.resolve()
        new_enough = subprocess.run(
            [path, "-c", "import sys, ctypes; sys.exit(sys.version_info < (3, 11))"], check=False, capture_output=True
        )
        if new_enough.returncode == 0 and (os.geteuid() != 0 or all(p.stat().st_mode & 0o001 for p in found.parents)):
            return str(path)
    raise RuntimeError("no Python 3.11 or newer that another user may run")


def make_environment(folder: Path, wheels: Path, *packages: str, runs: Sequence[str]) -> None:
    """By deploy/venv.sh, as an image does. That has bytecode of everything, half of it SciPy's and NumPy's: here the
    modules that are run have it, with what they import, since the compiler is most of what an environment costs."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        ["sh", str(DEPLOY / "venv.sh"), str(folder), *packages],
        env={**os.environ, "UV": str(uv), "PYTHON": interpreter(), "WHEELS": str(wheels)},
        check=True,
    )
    settings = {"DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1/none", "REDIS_URL": "redis://127.0.0.1"}
    subprocess.run([str(folder / "bin" / "python"), "-c", f"import {', '.join(runs)}"], env=settings, check=True)


@dataclass
class Machine:
    """A machine with the image: its folders, and what runs there."""

    root: Path
    """Where the image's paths lie."""
    ports: Mapping[str, int]
    """For each port of docker-compose.yml, the one that stands for it."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What a person would write otherwise in `.env`, or a file of theirs."""
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def prepare(self, secrets: Mapping[str, str], image: Path) -> None:
        """Folders as the image has them, and secrets as compose mounts them."""
        for path in PATHS[1:]:
            self.path(path).mkdir(parents=True)
        self.path("/opt").mkdir(parents=True)
        self.path("/opt/sextant").symlink_to(image)
        for name, content in secrets.items():
            (self.path("/run/secrets") / name).write_text(content)
        for writable in ("/var/lib/sextant/pki", "/var/lib/sextant/authority"):
            self.path(writable).mkdir(mode=0o700)
        self.path("/tmp").chmod(0o1777)
        if os.geteuid() == 0:
            for writable in ("/var/lib/sextant/pki", "/var/lib/sextant/authority"):
                os.chown(self.path(writable), UID, UID)

    def path(self, of_the_image: str) -> Path:
        return self.root / of_the_image.removeprefix("/")

    def environment(self, service: str) -> dict[str, str]:
        """Of the image and the service, and nothing of this process's."""
        given = image_environment() | services()[service]["environment"]
        here = {name: self._here(value) for name, value in given.items()}
        return here | {"PATH": f"{self.path('/opt/sextant/bin')}:/usr/bin:/bin"} | dict(self.settings)

    def command(self, words: list[str]) -> list[str]:
        """`words` as they stand in the file, `python` first, made this machine's."""
        own = [self._here(str(self.ports.get(word, word))) for word in words[1:]]
        return [*(CONFINED if os.geteuid() == 0 else ()), str(self.path("/opt/sextant/bin/python")), *own]

    def run(self, service: str, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """`docker compose run SERVICE WORDS`, with its output."""
        return subprocess.run(
            self.command(["python", *words] if words else services()[service]["command"]),
            env=self.environment(service) | settings,
            cwd=self.path("/tmp"),
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, service: str, **settings: str) -> None:
        """`docker compose up SERVICE`; its output goes to a log beside."""
        with (self.root / f"{service}.log").open("wb") as log:
            self.running[service] = subprocess.Popen(
                self.command(services()[service]["command"]),
                env=self.environment(service) | settings,
                cwd=self.path("/tmp"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_healthy(self, service: str) -> None:
        """Until its health check of docker-compose.yml passes; RuntimeError with its log where it does not."""
        _, *look = services()[service]["healthcheck"]["test"]

        def healthy() -> bool:
            if self.running[service].poll() is not None:
                raise RuntimeError(f"{service} has ended: {self.log(service)}")
            return self.run(service, *look[1:]).returncode == 0

        wait_until(healthy, lambda: f"{service} is not healthy: {self.log(service)}")

    def log(self, service: str) -> str:
        return (self.root / f"{service}.log").read_text(errors="replace")[-3000:]

    def stop(self, service: str) -> None:
        """SIGTERM, as `docker compose stop`. TimeoutExpired, and killed, after the seconds that compose gives."""
        child = self.running.pop(service)
        child.send_signal(signal.SIGTERM)
        grace = services()[service].get("stop_grace_period", "10s")
        try:
            child.wait(timeout=float(grace.removesuffix("s")))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def end(self) -> None:
        """Whatever happened."""
        for child in self.running.values():
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def _here(self, text: str) -> str:
        for path in PATHS:
            if text.startswith(f"{path}/"):
                return str(self.path(text))
        return text


def wait_until(true: Callable[[], bool], cause: Callable[[], str], limit_s: float = START_LIMIT_S) -> None:
    """RuntimeError with the cause where it does not become true."""
    deadline = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > deadline:
            raise RuntimeError(cause())
        time.sleep(0.2)


def copy_shared(image: Path) -> None:
    """The pages and the migrations, where the image has them."""
    built = ROOT / "frontend" / "dist"
    if not (built / "index.html").is_file():
        subprocess.run([sys.executable, "-m", "sextant_run", "build", "frontend"], check=True, cwd=ROOT)
    shutil.copytree(built, image / "share" / "frontend")
    shutil.copytree(ROOT / "migrations", image / "share" / "migrations", ignore=shutil.ignore_patterns("__pycache__"))
