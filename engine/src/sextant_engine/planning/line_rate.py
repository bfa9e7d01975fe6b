"""What a port's line carries of each chain that enters by it: no placement gets a chain more than arrives.

Max-min fair by bits on the wire, since nothing is known of who sends: what a chain leaves, the others take.
"""

from collections.abc import Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import FCS_BYTES, GAP_BYTES
from sextant_domain.hosts.desired import DesiredChain

from sextant_engine.host_state import HostState


def line_shares(host: HostState) -> dict[str, float]:
    """Mpps of each chain that the line of its ingress port carries at most; chains of ports without a known speed, as
    the testbed's own source, are absent."""
    return host.derive(_line_shares)


def _line_shares(host: HostState) -> dict[str, float]:
    speeds = {nic.name: nic.speed_mbps for nic in host.inventory.nics if nic.speed_mbps}
    by_port: dict[str, list[DesiredChain]] = {}
    for chain in host.chains.values():
        if chain.ingress.port in speeds:
            by_port.setdefault(chain.ingress.port, []).append(chain)
    return {
        name: share
        for port, chains in sorted(by_port.items())
        for name, share in shares_of_line(speeds[port], {chain.chain: chain for chain in chains}).items()
    }


def shares_of_line(speed_mbps: int, chains: Mapping[str, DesiredChain]) -> dict[str, float]:
    """Mpps that each would have if it were offered more than that, the others as they are."""
    bits = {name: wire_bits(chain) for name, chain in chains.items()}
    wants = {name: offered_mbps(chain) for name, chain in chains.items()}
    rising = sorted(wants, key=lambda name: (wants[name], name))
    return {
        name: _level(speed_mbps, [wants[other] for other in rising if other != name]) / bits[name] for name in wants
    }


def _level(line: float, others: Sequence[float]) -> float:
    """What is left for one that wants all, beside others by rising wants: they have theirs, or as much as it."""
    left, sharing = line, len(others) + 1
    for want in others:
        if want >= left / sharing:
            break
        left, sharing = left - want, sharing - 1
    return left / sharing


def wire_bits(chain: DesiredChain | ChainSpec) -> float:
    """Of a mean packet."""
    return (chain.traffic.mean_packet_bytes + FCS_BYTES + GAP_BYTES) * 8


def offered_mbps(chain: DesiredChain | ChainSpec) -> float:
    """Mbit/s that it would take of the wire if all it is offered arrived."""
    return chain.traffic.rate_mpps * wire_bits(chain)
