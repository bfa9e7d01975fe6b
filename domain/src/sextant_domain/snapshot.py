"""The fleet at one moment: all that the engine is given."""

from datetime import datetime

from sextant_domain.base import Digest, Frozen
from sextant_domain.chain import ChainSpec
from sextant_domain.desired import HostContent
from sextant_domain.host import HostInventory, HostStatus
from sextant_domain.model import PerformanceModel
from sextant_domain.nf import NfType


class HostSnapshot(Frozen):
    """A host, and what it was last ordered to run."""

    inventory: HostInventory
    status: HostStatus
    generation: int
    digest: Digest
    content: HostContent


class FleetSnapshot(Frozen):
    """Input of planning: pure data, so that a plan can be made again from it."""

    taken_at: datetime
    hosts: tuple[HostSnapshot, ...]
    chains: tuple[ChainSpec, ...]
    """Every chain that shall run after the plan, the new one included, a deleted one not."""
    nf_types: tuple[NfType, ...]
    models: tuple[PerformanceModel, ...]
