"""What operators see of the cores that NFs of a host share: measured load, what their packets cost beside others, and
who divides the core."""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name, NfId, Provenance
from sextant_domain.chains.cpu_bounds import ShareLaw
from sextant_domain.hosts.telemetry import ShareChange
from sextant_domain.plans.algorithms import Algorithm
from sextant_domain.profiling.host_cost import HostCost, HostCostFit


class SharingNf(Frozen):
    """An NF on a core that holds several."""

    nf_id: NfId
    chain: Name
    nf_type: Name
    load: float | None = Field(ge=0)
    """Part of its core that went into its packets in the newest second; None: not measured lately."""
    cost_us: float | None = Field(ge=0)
    """Of its core, that a packet took; None where nothing came, or its load was not measured."""
    alone_us: float | None = Field(ge=0)
    """The same where it has a core and the node to itself, by the promoted model of its type on this host model. None
    where none is promoted, or its version or configuration is another one than was measured."""
    inflation: float | None = Field(ge=0)
    """By how much a packet costs more than alone: .25 is a quarter more. None where either is not known."""
    expected_us: float | None = Field(ge=0)
    """Of its core, that a packet should take there at the rates of the newest second, by the costs that were fitted on
    this host; None where none were, or it is not known what it, or another NF of the host, takes alone."""
    expected_low_us: float | None = Field(default=None, ge=0)
    """With `expected_high_us`: what nine of ten packets should take, by the error of the fit: `left_out_error`, or
    `held_out_error` where `expected_guessed`. None where neither says it: costs that were left, or a type beside it
    that the fit does not know."""
    expected_high_us: float | None = Field(default=None, ge=0)
    """None beside a low one: the error is too large to bound it."""
    expected_guessed: bool = False
    """Costs were not fitted for its type: the upper quartile of the types that were counts."""
    share_percent: float | None = Field(ge=0, le=100)
    """Of its core, that it has whenever all want it, where its host divides the core by itself; None: as ordered."""


class SharingCore(Frozen):
    """A core that several NFs were ordered to."""

    core: int
    node: int
    slots: int
    busy: float | None = Field(ge=0)
    """Part of its time that was used, by whomever; None: not measured lately."""
    divided: bool
    """Its host divides it by itself: chains on it have share bounds."""
    law: ShareLaw | None
    """By which; None where it is not divided, or chains on it name several."""
    held: str | None
    """Why nothing is changed now, where it is divided."""
    changed: ShareChange | None
    """The last change of shares since the agent started."""
    nfs: tuple[SharingNf, ...]
    """By slot."""


class OfferedAssigner(Frozen):
    """By which assigner of sfc2cpu a plan is best asked for."""

    algorithm: Algorithm
    """`network`, `calibrated` or `min_max`."""
    why: str
    """For people."""
    network: Digest | None = Field(default=None, exclude_if=lambda network: network is None)
    """Which one is in force, where it is by one."""


class SharingHost(Frozen):
    """A host whose NFs may share cores."""

    host: Name
    provenance: Provenance | None
    """Of what was measured; None: nothing lately."""
    measured_at: datetime | None
    stopped: str | None
    """Why no law acts there now; None: they may."""
    cost: HostCost | None
    """What packets cost beside others, as last fitted on what ran here; None: never."""
    fit: HostCostFit | None
    """The newest request to fit them; None: none is kept."""
    assigner: OfferedAssigner
    """For a re-balance of the host."""
    assignable: int = Field(ge=0)
    """Cores that NFs may share: a network for as many may be promoted for it."""
    cores: tuple[SharingCore, ...]
    """Those that hold more than one NF; none where every NF has a core of its own."""
