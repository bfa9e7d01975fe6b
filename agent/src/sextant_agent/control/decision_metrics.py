"""Metrics of what the reconciler of an agent with one host decided."""

from sextant_domain.hosts.desired import NfState, Phase

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.reconciler import ReconcilerDecision, ReconcilerState
from sextant_agent.kit.metrics import APPLIED_GENERATION, DATA_PLANE_UP, LEDGER_GENERATION, NF_RESTARTS, NFS, PHASE


def show_decision(before: ReconcilerState, decision: ReconcilerDecision, found: HostSample | DataPlaneDown) -> None:
    """Of an agent with one host: what its reconciler decided on what it found."""
    memory = decision.memory
    NF_RESTARTS.inc(_new_restarts(before, memory))
    LEDGER_GENERATION.set(memory.order[0] if memory.order else 0)
    APPLIED_GENERATION.set(memory.applied_generation)
    for phase in Phase:
        PHASE.labels(phase.value).set(phase is decision.phase)
    DATA_PLANE_UP.set(isinstance(found, HostSample))
    nfs = found.nfs.values() if isinstance(found, HostSample) else ()
    for state in NfState:
        NFS.labels(state.value).set(sum(nf.state is state for nf in nfs))


def _new_restarts(before: ReconcilerState, now: ReconcilerState) -> int:
    """What an adopted NF went through under the agent before this one is not counted again."""
    known = before.nfs
    return sum(max(0, nf.restarts - known[nf_id].restarts) for nf_id, nf in now.nfs.items() if nf_id in known)
