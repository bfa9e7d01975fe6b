"""Where everything lies: the clone and the data folder (docs/contracts/processes.md)."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from sextant_run.errors import RunError
from sextant_run.folders import MAX_SOCKET_PATH_BYTES, private_folder

_LONGEST_SOCKET_NAME = len("supervisor.sock.") + len(str(2**22))
"""supervisord links its socket from a temporary name that ends in its pid."""


@dataclass(frozen=True)
class DataLayout:
    """Paths of one clone and one data folder; nothing is made by asking."""

    root: Path
    data: Path

    @classmethod
    def of_environment(cls) -> "DataLayout":
        """The clone this package was installed from, and `SEXTANT_DATA_DIR` (default `.data` in the clone)."""
        root = Path(__file__).resolve().parents[3]
        if not (root / "uv.lock").exists():
            raise RunError(f"{root} is not a clone of Sextant", "run this from the .venv that `make setup` makes")
        data = Path(os.environ.get("SEXTANT_DATA_DIR") or root / ".data").expanduser()
        data = data if data.is_absolute() else Path.cwd() / data
        if any(bad in str(data) for bad in "\"'%\\\n;"):
            raise RunError(f"SEXTANT_DATA_DIR: quotes, %, ; and backslashes are not allowed: {data}", "choose another")
        return cls(root=root, data=Path(os.path.normpath(data)))

    @property
    def sockets(self) -> Path:
        """A folder for unix sockets: in the data folder, or a short one where paths would be cut at 107 bytes or hold
        characters that URLs write differently."""
        folder = self.data / "sockets"
        short = len(os.fsencode(folder)) + 1 + _LONGEST_SOCKET_NAME <= MAX_SOCKET_PATH_BYTES
        if short and re.fullmatch(r"[A-Za-z0-9/._-]+", str(folder)):
            return folder
        digest = hashlib.sha256(os.fsencode(self.data)).hexdigest()[:12]
        return Path(f"/tmp/sextant-{os.geteuid()}-{digest}")  # noqa: S108 - private_folder refuses a stranger's

    @property
    def run_file(self) -> Path:
        return self.data / "run.json"

    @property
    def cli_file(self) -> Path:
        return self.data / "cli.json"

    @property
    def password_file(self) -> Path:
        return self.data / "admin-password"

    @property
    def secrets_key(self) -> Path:
        """What secrets in the database are sealed under."""
        return self.data / "secrets.key"

    @property
    def audit_key(self) -> Path:
        """What seals the audit log."""
        return self.data / "audit.key"

    @property
    def log(self) -> Path:
        return self.data / "log"

    @property
    def pki(self) -> Path:
        return self.data / "pki"

    @property
    def supervisor_conf(self) -> Path:
        return self.data / "supervisor.conf"

    @property
    def supervisor_socket(self) -> Path:
        return self.sockets / "supervisor.sock"

    @property
    def keeper_sign(self) -> Path:
        """A file that the keeper touches every few seconds."""
        return self.data / "keeper"

    @property
    def helper_socket(self) -> Path:
        return self.sockets / "helper.sock"

    @property
    def frontend(self) -> Path:
        return self.root / "frontend"

    @property
    def frontend_files(self) -> Path:
        return self.frontend / "dist"

    @property
    def dataplane(self) -> Path:
        return self.root / "dataplane"

    @property
    def runner(self) -> Path:
        return self.dataplane / "build" / "sextant-runner"

    @property
    def srv6_daemon(self) -> Path:
        """Of hosts whose packets measure themselves; sources and sinks lie beside it."""
        return self.dataplane / "srv6" / "build" / "sextant-srv6"

    @property
    def lab_pins(self) -> Path:
        """Where a bpf file system is mounted for such hosts on this machine."""
        return self.data / "bpf"

    def agent_state(self, host_id: str) -> Path:
        return self.data / "agent" / host_id

    @property
    def demo(self) -> Path:
        """Ledgers of the demonstration fleet, and its size; there while it is."""
        return self.data / "demo"

    def make_folders(self) -> None:
        """The data folder and what every process expects in it, all 0700."""
        for folder in (self.data, self.log, self.pki, self.sockets):
            private_folder(folder)
