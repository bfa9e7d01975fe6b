"""Faults that can be ordered on a simulated host, to see what Sextant does about them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, StrictFloat, StrictInt

MAX_FAULTS = 64
"""At once, on one host."""
Seconds = Annotated[StrictFloat, Field(ge=0.1, le=3600)]


class NfCrash(Frozen):
    """An NF's process ends, and with it what shares the process; it comes back when it is started again."""

    kind: Literal["nf-crash"]
    nf_id: NfId


class NicFlap(Frozen):
    """A network interface loses its link: nothing arrives, nothing leaves."""

    kind: Literal["nic-flap"]
    port: Name
    seconds: Seconds


class HostDown(Frozen):
    """The host loses power: its agent is silent, and when it is back nothing runs."""

    kind: Literal["host-down"]
    seconds: Seconds


class NoisyNeighbour(Frozen):
    """Something that no order knows takes cache or memory bandwidth, from cores that no NF holds."""

    kind: Literal["noisy-neighbour"]
    resource: Literal["cache", "memory"]
    cores: Annotated[tuple[Annotated[StrictInt, Field(ge=0)], ...], Field(min_length=1, max_length=256)]
    """Where it runs: each takes as much as one core can."""
    seconds: Seconds


Fault = Annotated[NfCrash | NicFlap | HostDown | NoisyNeighbour, Field(discriminator="kind")]


class FaultOrder(Frozen):
    """Body of POST /v1/faults."""

    fault: Fault


class ActiveFault(Frozen):
    """A fault that was ordered and is not over."""

    fault: Fault
    since: datetime
    until: datetime | None
    """None: until what it ended is started again."""


class ActiveFaults(Frozen):
    """Answer of GET and POST /v1/faults: oldest first."""

    faults: tuple[ActiveFault, ...] = ()
