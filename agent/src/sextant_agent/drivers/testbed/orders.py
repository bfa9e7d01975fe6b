"""Ordered chains in the runner's words: pure."""

from typing import Any

from sextant_domain.chains.secret import SecretValues, resolved
from sextant_domain.hosts.desired import DesiredChain


def nfs_of(chain: DesiredChain, secrets: SecretValues) -> list[dict[str, Any]]:
    """The NFs in the order in which packets meet them, with their secrets: for the runner's socket alone."""
    return [
        {"nf": nf.nf_id, "type": nf.runs, "core": nf.core, "config": resolved(nf.config, secrets)} for nf in chain.nfs
    ]


def state_of(chain: DesiredChain) -> dict[str, Any]:
    """How it shall run, where that is not as ever: a runner from before there was a choice takes its chains, too."""
    state: dict[str, Any] = {}
    if chain.execution != "isolated":
        state["execution"] = chain.execution
    if chain.paused:
        state["paused"] = True
    return state
