"""Hearing from the kernel at once that a process has ended, whoever started it: pidfd_open(2)."""

import os
import select
import threading
from collections.abc import Callable, Set
from contextlib import suppress

from sextant_agent.control.running import Running


class Ends:
    """Of the processes that are followed. Safe for several threads."""

    def __init__(self, heard: Callable[[], None]) -> None:
        """`heard` is called from a thread of its own, after an end or several; it looks for itself what has ended."""
        self._heard = heard
        self._files: dict[Running, int] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._events = select.epoll()
        self._closing = os.eventfd(0, os.EFD_CLOEXEC)
        self._events.register(self._closing, select.EPOLLIN)
        self._thread = threading.Thread(target=self._listen, name="ends", daemon=True)
        self._thread.start()

    def follow(self, living: Set[Running]) -> None:
        """These, and no others any more; once it is closed, none."""
        with self._lock:
            if self._closed:
                return
            for gone in self._files.keys() - living:
                os.close(self._files.pop(gone))
            for running in living - self._files.keys():
                self._add(running)

    def close(self) -> None:
        """Nothing is heard any more."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        os.eventfd_write(self._closing, 1)
        self._thread.join()
        for file in (*self._files.values(), self._closing):
            os.close(file)
        self._events.close()

    def _add(self, running: Running) -> None:
        """The next sample finds one that has ended meanwhile, and all of them where the kernel has no such files."""
        with suppress(OSError):
            file = os.pidfd_open(running.pid)
            self._files[running] = file
            self._events.register(file, select.EPOLLIN | select.EPOLLONESHOT)

    def _listen(self) -> None:
        while True:
            found = {file for file, _ in self._events.poll()}
            if self._closing in found:
                return
            self._heard()
