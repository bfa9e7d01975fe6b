"""What a manager writes of its ports and NFs: `onvm_stats.txt` (`-v 3`) and the events; pure, tolerant of both being
cut short, since neither is written in one piece.

The JSON statistics hold rates only, under labels that are cut at the fourth character of an id, so that NF 100 to 127
share a dozen keys: they are not read.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

NF_FIELDS = 24
PORT_FIELDS = 6


@dataclass(frozen=True, slots=True)
class InstanceFigures:
    """Of one instance, cumulative since it started."""

    instance: int
    service: int
    rx: int
    """Put into its ring."""
    tx: int
    rx_drop: int
    """Lost because its ring was full; whoever sent them counts the same as `tx_drop`."""
    tx_drop: int
    """What it failed to hand on: of one that sends to a port a loss of its own, since nobody counts it as `rx_drop`."""
    sent_out: int
    dropped: int
    """By its own decision."""
    handed_on: int
    """To a service, or to the next of OpenNetVM's default chain."""
    held_back: int = 0
    """By its own decision, to be sent later: no packet of its ring any more."""

    @property
    def in_ring(self) -> int:
        """What it has not taken yet, but for the turn that it is in."""
        return self.waiting - self.held_back

    @property
    def waiting(self) -> int:
        """In its ring, at about the time of the writing. More where it holds packets back itself."""
        return self.rx - self.sent_out - self.dropped - self.handed_on

    @property
    def lost(self) -> int:
        """Each packet at one NF."""
        return self.rx_drop + (self.tx_drop if self.sent_out else 0)


@dataclass(frozen=True, slots=True)
class PortFigures:
    """Packets received and sent, cumulative since the manager started."""

    rx: int
    tx: int


@dataclass(frozen=True, slots=True)
class ManagerFigures:
    """One writing."""

    nfs: Mapping[int, InstanceFigures] = field(default_factory=dict)
    """By instance id."""
    ports: Mapping[int, PortFigures] = field(default_factory=dict)
    written_ns: int | None = field(default=None, compare=False)
    """By the clock of their file."""


def read_figures(text: str) -> ManagerFigures:
    """Whole lines only: the last is dropped where it does not end. What is no line of figures is passed over."""
    nfs: dict[int, InstanceFigures] = {}
    ports: dict[int, PortFigures] = {}
    for line in text.split("\n")[:-1]:
        fields = line.split(",")
        with suppress(ValueError):
            if len(fields) == NF_FIELDS:
                found = _nf(fields)
                nfs[found.instance] = found
            elif len(fields) == PORT_FIELDS:
                ports[int(fields[1])] = PortFigures(rx=int(fields[2]), tx=int(fields[4]))
    return ManagerFigures(nfs, ports)


def _nf(fields: list[str]) -> InstanceFigures:
    """time, tag, instance, service, core, parent, state, children, rx, tx, rx_pps, tx_pps, rx_drop, tx_drop,
    rx_drop_rate, tx_drop_rate, act_out, act_tonf, act_drop, act_next, act_buffer, act_returned, wakeups, rate."""
    return InstanceFigures(
        instance=int(fields[2]),
        service=int(fields[3]),
        rx=int(fields[8]),
        tx=int(fields[9]),
        rx_drop=int(fields[12]),
        tx_drop=int(fields[13]),
        sent_out=int(fields[16]),
        dropped=int(fields[18]),
        handed_on=int(fields[17]) + int(fields[19]),
        held_back=int(fields[20]),
    )


def ready_instances(text: str) -> frozenset[int] | None:
    """Instances that the events call ready; None where the file was cut short."""
    try:
        events = json.loads(text)
    except ValueError:
        return None
    if not isinstance(events, list):
        return None
    ready: set[int] = set()
    for event in events:
        with suppress(KeyError, TypeError, ValueError):
            instance = int(event["source"]["instance_id"])
            if event["message"] == "NF Ready":
                ready.add(instance)
            elif event["message"] == "NF Stopping":
                ready.discard(instance)
    return frozenset(ready)
