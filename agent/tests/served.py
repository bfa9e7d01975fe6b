"""What part of the packets that chains are offered their first NF serves."""

from collections.abc import Sequence

from sextant_agent.contract.driver import SharesCores

from .waiting import wait_for


def served_parts(driver: SharesCores, names: Sequence[str], seconds: float = 0.5) -> list[float]:
    """Percent by chain, over so long; each chain is one simple-forward."""
    first = driver.queues()
    wait_for("packets", lambda: driver.queues().taken_ns >= first.taken_ns + seconds * 1e9)
    last = driver.queues()
    parts = []
    for name in names:
        nf_id = f"{name}.simple-forward"
        offered = last.chains[name].offered - first.chains[name].offered
        parts.append(100 * (last.nfs[nf_id].rx - first.nfs[nf_id].rx) / offered)
    return parts
