"""A DPDK program that has nothing to do with OpenNetVM: it holds a prefix, by default DPDK's own."""

import signal
import sys
import threading
from pathlib import Path
from typing import NoReturn

from .eal import EalRefused, parse, split, start_primary
from .kernel import look_like
from .settings import read_settings
from .telemetry import Telemetry


def run(home: str) -> NoReturn:
    binary, words = sys.argv[0], split(sys.argv[1:])[0]
    look_like(binary, sys.argv[1:])
    try:
        eal, _memory = start_primary(read_settings(Path(home)), parse(binary, words))
    except EalRefused:
        sys.exit(255)
    Telemetry(eal, [], {})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        threading.Event().wait(3600)
