"""Calm lines: `[3/9] Data plane               12 s`."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


class StartProgress:
    """Numbered steps; on a terminal the running one is shown while it works."""

    def __init__(self, total: int, done: int = 0, stream: TextIO | None = None) -> None:
        self._total = total
        self._number = done
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()

    @contextmanager
    def step(self, title: str) -> Iterator["StartStep"]:
        """Show one step; what the block leaves in `result` is shown after it, by default the seconds it took."""
        self._number += 1
        head = f"[{self._number}/{self._total}] {title:<24} "
        if self._live:
            self._write(f"{head}...")
        step, began = StartStep(), time.monotonic()
        try:
            yield step
        except BaseException:
            self._write(f"{self._restart}{head}failed\n")
            raise
        seconds = time.monotonic() - began
        self._write(
            f"{self._restart}{head}{step.result or f'{seconds:.0f} s' if seconds >= 1 else step.result or 'done'}\n"
        )

    @property
    def _restart(self) -> str:
        return "\r\x1b[K" if self._live else ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class StartStep:
    """What a running step has to say."""

    result: str = ""
