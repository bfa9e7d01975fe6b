"""Which chains of a host OpenNetVM can run, and what of them it cannot; pure.

A manager hands packets of its ports to service 1, so that a chain has a manager of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import HostInventory, ReservedFor
from sextant_domain.opennetvm.launch import FIRST_SPARE_LCORE
from sextant_domain.opennetvm.programs import MAX_SERVICE, WAY_OUT, NoStockProgram, StockProgram, stock_program
from sextant_domain.opennetvm.views import StartRefusal

_RANK = {ReservedFor.MANAGER: 0, ReservedFor.RX: 1, ReservedFor.TX: 2, None: 3, ReservedFor.SYSTEM: 4}


@dataclass(frozen=True, slots=True)
class ProgramStart:
    """One NF to start."""

    nf_id: str | None
    """None: the way out behind a last NF that only hands on."""
    program: StockProgram
    cpu: int


@dataclass(frozen=True, slots=True)
class ChainStart:
    """A chain with a manager of its own."""

    chain: str
    steps: tuple[ProgramStart, ...]
    """In the order in which packets pass them."""
    manager_cpus: tuple[int, ...]
    shares_cores: bool


def express(content: HostContent, inventory: HostInventory) -> tuple[list[ChainStart], list[StartRefusal], list[str]]:
    """In the order of names; then what cannot be, and what will be otherwise."""
    free = _CoresLeft(inventory, content)
    starts: list[ChainStart] = []
    refusals: list[StartRefusal] = []
    notes: list[str] = []
    nics = {port.name for port in inventory.ports if port.kind == "nic"}
    entering: dict[str, str] = {}  # port -> its chain
    for chain in sorted(content.chains, key=lambda one: one.chain):
        steps, refused = _steps(chain)
        shared = _shares_cores(steps)
        refused += _of_chain(chain, entering, shares=shared, sharing=next((s for s in starts if s.shares_cores), None))
        refusals += refused
        if refused:
            continue
        if chain.ingress.port in nics:  # what the testbed's own source makes comes by no port
            entering[chain.ingress.port] = chain.chain
        cpus = free.take(4 if shared else 3, near=chain.nfs[0].core)
        if not steps[-1].program.sends_out:  # beside the manager's own thread, which only counts
            steps.append(
                ProgramStart(None, WAY_OUT, next((cpu for cpu in cpus if cpu < FIRST_SPARE_LCORE), steps[-1].cpu))
            )
        starts.append(ChainStart(chain.chain, tuple(steps), cpus, shared))
        notes += _notes(chain, cpus)
    return starts, refusals, notes


def _steps(chain: DesiredChain) -> tuple[list[ProgramStart], list[StartRefusal]]:
    steps, refused = [], []
    for number, nf in enumerate(chain.nfs):
        if nf.core >= FIRST_SPARE_LCORE:
            last = FIRST_SPARE_LCORE - 1
            refused.append(_refusal(chain, nf, "core", f"is {nf.core}: OpenNetVM knows NF cores up to {last}"))
        try:
            program = stock_program(nf.runs, nf.config, last=number == len(chain.nfs) - 1)
        except NoStockProgram as no:
            refused.append(_refusal(chain, nf, f"config.{no.at}" if no.at else "type", no.message))
        else:
            steps.append(ProgramStart(nf.nf_id, program, nf.core))
    return steps, refused


def _shares_cores(steps: Sequence[ProgramStart]) -> bool:
    return any(number > 1 for number in Counter(step.cpu for step in steps).values())


def _of_chain(
    chain: DesiredChain, entering: dict[str, str], *, shares: bool, sharing: ChainStart | None
) -> list[StartRefusal]:
    refused = []
    if chain.execution != "isolated":
        refused.append(_refusal(chain, None, "execution", "every NF of OpenNetVM is a process with a ring of its own"))
    if chain.paused:
        refused.append(_refusal(chain, None, "paused", "packets come from outside: OpenNetVM cannot hold them back"))
    if chain.ingress.port in entering:
        what = f"all packets of port {chain.ingress.port} enter {entering[chain.ingress.port]}: let it enter by another"
        refused.append(_refusal(chain, None, "ingress.port", what))
    if shares and sharing is not None:
        what = f"its NFs share a core, as those of {sharing.chain}: one manager of a host can let them"
        refused.append(_refusal(chain, None, "nfs", what))
    if len(chain.nfs) >= MAX_SERVICE:
        what = f"are {len(chain.nfs)}: with a way out, OpenNetVM has {MAX_SERVICE} services"
        refused.append(_refusal(chain, None, "nfs", what))
    return refused


def _refusal(chain: DesiredChain, nf: DesiredNf | None, field: str, message: str) -> StartRefusal:
    return StartRefusal(chain=chain.chain, nf_id=nf.nf_id if nf else None, field=field, message=message)


def _notes(chain: DesiredChain, manager_cpus: Sequence[int]) -> Iterator[str]:
    """What runs otherwise than under Sextant."""
    name, cpus = chain.chain, {nf.core for nf in chain.nfs}
    if len(set(manager_cpus)) < len(manager_cpus) or cpus & set(manager_cpus):
        yield f"{name}: too few cores are left for its manager, whose threads poll: {len(manager_cpus)} are wanted"
    if chain.resources is not None:
        yield f"{name}: its cache ways and memory bandwidth are resctrl's to keep, not OpenNetVM's"
    for nf in chain.nfs:
        if nf.cpu_share not in {None, DEFAULT_CPU_SHARE} or nf.cpu_quota_percent is not None:
            yield f"{nf.nf_id}: its CPU share and quota are the kernel's CPU groups' to keep, not OpenNetVM's"
        if nf.llc_ways is not None or nf.memory_bandwidth_percent is not None:
            yield f"{nf.nf_id}: its cache ways and memory bandwidth are resctrl's to keep, not OpenNetVM's"
        if nf.implementation is not None:
            yield f"{nf.nf_id}: is of type {nf.nf_type}, and written as the {nf.runs} that runs for it"
        if nf.runs == "basic-monitor" and nf is not chain.nfs[-1]:
            yield f"{nf.nf_id}: is written as flow_tracker, since basic_monitor hands nothing on"


class _CoresLeft:
    """Cores that no NF has, for managers: those kept for them first, of the node of the NFs before others."""

    def __init__(self, inventory: HostInventory, content: HostContent) -> None:
        used = {nf.core for chain in content.chains for nf in chain.nfs}
        self._all = inventory.cores
        self._left = [core for core in inventory.cores if core.id not in used]

    def take(self, number: int, near: int) -> tuple[int, ...]:
        """So many; where there are too few, some are named twice."""
        node = next((core.node for core in self._all if core.id == near), None)
        order = sorted(self._left, key=lambda core: (core.node != node, _RANK[core.reserved_for], core.id))
        taken = [core.id for core in order[:number]] or [min((core.id for core in self._all), default=0)]
        self._left = [core for core in self._left if core.id not in taken]
        return tuple(taken[place % len(taken)] for place in range(number))
