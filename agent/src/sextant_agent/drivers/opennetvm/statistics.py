"""Reading what one manager writes, while it writes it."""

import time
from pathlib import Path

from sextant_agent.drivers.opennetvm.figures import Figures, read_figures, ready_instances
from sextant_agent.drivers.opennetvm.limits import STALE_S

MAX_BYTES = 8 * 1024 * 1024
RETRIES, PAUSE_S = 5, 0.01


class Statistics:
    """Of the folder `onvm_web` of one manager. Keeps the last whole figures: the file is often empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = Figures()
        self._ready: frozenset[int] = frozenset()

    def figures(self, *, alive: bool) -> Figures:
        """The newest there are. `alive`: its manager lives; the last figures of a dead one stay true, and stay."""
        if alive:
            for _ in range(RETRIES):
                found = read_figures(self._text("onvm_stats.txt"))
                if found.ports or found.nfs:
                    self._last = found
                    break
                time.sleep(PAUSE_S)
        return self._last

    def ready(self) -> frozenset[int]:
        """Instances that run by the manager's word: its events, and its figures, which list no other."""
        for _ in range(RETRIES):
            found = ready_instances(self._text("onvm_json_events.json"))
            if found is not None:
                self._ready = found
                break
            time.sleep(PAUSE_S)
        return self._ready

    def age_s(self) -> float | None:
        """Since the last writing; None before the first."""
        try:
            return max(0.0, time.time() - (self._folder / "onvm_stats.txt").stat().st_mtime)
        except OSError:
            return None

    def is_stale(self) -> bool:
        """A manager that lives and writes nothing hangs."""
        age = self.age_s()
        return age is not None and age > STALE_S

    def clear(self) -> None:
        """Before a manager starts: files of the one before look fresh."""
        self._last, self._ready = Figures(), frozenset()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("onvm_stats.txt", "onvm_json_stats.json", "onvm_json_events.json"):
            (self._folder / name).unlink(missing_ok=True)

    def _text(self, name: str) -> str:
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(MAX_BYTES).decode(errors="replace")
        except OSError:
            return ""
