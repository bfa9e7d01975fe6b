"""`double.json` of a home: how fast time passes, which packets come, and what goes wrong. It may be changed while the
programs run: it is read again at every start and in every period of a manager.

What an NF imports uses no dataclasses: they are two fifths of such a process' start, and tests start thousands."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = "double.json"
TIME_VARIABLE = "ONVM_DOUBLE_TIME"


class Settings:
    time: float = 1.0
    """Every wait is multiplied by it; the environment's ONVM_DOUBLE_TIME comes first. Packets are counted in the time
    that OpenNetVM would have taken: with 0.05, a period of 50 ms carries the packets of a second."""
    runtime_dir: str | None = None
    """Instead of the folder that DPDK takes from its environment."""
    dpdk: str = "22.11.11"
    """Version that the programs of this home were built against."""
    nics: int = 0
    """Ports beside those of `--vdev`."""
    hugepages_mb: int = 4096
    packets_per_second: Mapping[str, int] = {"0": 1_000_000}
    """By port; none comes to others."""
    endless_packets_per_second: int = 10_000_000
    """By a port of net_pcap that plays its capture without end (`infinite_rx=1`), whatever is said of packets."""
    rx_packets_per_second: Mapping[str, int] = {}
    """By port, what the RX thread can take of it; a card misses the rest. Of others it takes all."""
    tx_packets_per_second: Mapping[str, int] = {}
    """By port, what the TX thread can send; NFs fail to hand on the rest."""
    telemetry_silent: bool = False
    """Its socket takes connections and says nothing."""
    rss: bool = True
    """Whether ports distinguish flows: without it, all packets of a service go to its first instance."""
    cost_ns: Mapping[str, int] = {}
    """Of a packet, by program; others as in `programs.py`."""
    dropped_percent: Mapping[str, int] = {}
    """Of its packets that a program drops by its own decision."""
    duty: float = 0.02
    """Share of a CPU that a packet thread really takes: of all of it where it polls, of what it needs where it sleeps
    between packets."""
    in_hand: bool = False
    """Writings find NFs in the middle of a burst, as OpenNetVM's do: what they have in hand is in `rx` and in no `act_`
    yet. Otherwise each finds them between two, so that a test's sums of packets agree."""
    step: int = 0
    """Changed, it lets the manager go through one period, with one writing; then it waits for the next change. 0: it
    goes on by itself. So a test misses no writing, however late it looks."""
    missing_library: Sequence[str] = ()
    """Programs that the loader cannot start."""
    disk_full: bool = False
    hang_at_exit: bool = False
    """The manager, once it was asked to end."""
    wedge_on_manager_death: bool = False
    """NFs under load no longer listen to SIGTERM once their manager was killed."""
    lose_first_sigterm: bool = False
    """NFs lose it, as those with actions of their own do now and then: basic_monitor, or a program of one's own."""
    wedge: str = ""
    """NFs that are killed while they have packets are killed as they give a packet buffer back: from then on whoever
    gives one back spins. Who is first: `nf` (NFs take packets and work none off, until the first one's ring is full),
    `rx` (the RX thread takes none, and its card counts no misses), `card` (the same, and it counts them)."""
    write_pause_s: float = 0.0
    """Real seconds that a file stays half written."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        """What nobody knows is an error, so that no test asks for a fault in vain."""
        unknown = given.keys() - self.__annotations__.keys()
        if unknown:
            raise ValueError(f"nobody knows {sorted(unknown)}")
        self.__dict__.update(given)


def read_settings(home: Path) -> Settings:
    """What is not there is as it comes."""
    given: dict[str, Any] = json.loads((home / FILE).read_text())
    if TIME_VARIABLE in os.environ:
        given["time"] = float(os.environ[TIME_VARIABLE])
    return Settings(given)
