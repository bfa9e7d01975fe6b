"""Requests that a chain runs by what opennetvm.toml says now: `sextant-agent take-over` makes one, the agent's next
look finds it. A file each, named as its chain."""

from contextlib import suppress
from pathlib import Path


class TakeOver:
    """Of one state folder of the driver; of agent and command at once."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / "take-over"

    def ask(self, chain: str) -> None:
        """Raises OSError."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        (self._folder / chain).touch(mode=0o600)

    def is_asked(self, chain: str) -> bool:
        """And not done yet."""
        return (self._folder / chain).exists()

    def done(self, chain: str) -> None:
        """Or of no use any more."""
        with suppress(OSError):
            (self._folder / chain).unlink()
