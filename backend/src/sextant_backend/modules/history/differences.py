"""What is different between two moments of the fleet. Pure."""

from collections.abc import Mapping

from sextant_domain.console.history import (
    ChainDifference,
    FleetDifference,
    NfDifference,
    PastChain,
    PastFleet,
    PastSeat,
)


def differences(before: PastFleet, after: PastFleet) -> FleetDifference:
    """Of chains everything, of NFs those that do not stand where they stood."""
    first, last = _chains(before), _chains(after)
    stood, stands = _seats(before), _seats(after)
    hosts, hosts_after = ({host.host_id for host in fleet.hosts} for fleet in (before, after))
    return FleetDifference(
        before=before.at,
        after=after.at,
        chains=tuple(
            ChainDifference(chain=name, before=first.get(name), after=last.get(name))
            for name in sorted(first.keys() | last.keys())
        ),
        nfs=tuple(
            NfDifference(nf_id=nf_id, before=stood.get(nf_id), after=stands.get(nf_id))
            for nf_id in sorted(stood.keys() | stands.keys())
            if stood.get(nf_id) != stands.get(nf_id)
        ),
        hosts_gone=tuple(sorted(hosts - hosts_after)),
        hosts_new=tuple(sorted(hosts_after - hosts)),
    )


def _chains(fleet: PastFleet) -> Mapping[str, PastChain]:
    """Of one that moved within the interval, the host that carried more of it."""
    return {one.chain: one for one in sorted(fleet.chains, key=lambda one: one.delivered_mpps)}


def _seats(fleet: PastFleet) -> Mapping[str, PastSeat]:
    """Of one that moved within the interval, where most samples were taken: it is the last of its rows."""
    return {nf.nf_id: PastSeat(host=host.host_id, core=nf.core) for host in fleet.hosts for nf in host.nfs}
