"""What has become of opennetvm.toml since an agent read it: it is read at the agent's start, and only then."""

from pathlib import Path

from sextant_agent.drivers.opennetvm.installation import BadInstallation, OpenNetVmInstallation, read_installation


class FileWatch:
    """Reads the file again when it was written."""

    def __init__(self, path: Path, read: OpenNetVmInstallation) -> None:
        self._path = path
        self._read = read
        self._written: tuple[int, int] | None = None
        self._news: str | None = None

    def news(self) -> str | None:
        """For a person; None where it says what it said."""
        written = self._stat()
        if written is None or written != self._written:
            self._written, self._news = written, self._compare()
        return self._news

    def _compare(self) -> str | None:
        goes_on = "this agent goes on by what it read before"
        try:
            if read_installation(self._path) == self._read:
                return None
        except BadInstallation as bad:
            return f"{bad}; {goes_on}, but would not start again: fix the file before a restart"
        return f"{self._path} was changed, and {goes_on}: restart the agent, which ends nothing that runs"

    def _stat(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino
