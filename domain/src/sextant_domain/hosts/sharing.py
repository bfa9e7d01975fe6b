"""Host models whose hosts share cores."""

from collections.abc import Iterable, Mapping

from sextant_domain.hosts.host import HostInventory

Sharing = Mapping[str, frozenset[bool]]
"""By host model, whether cores are shared on hosts of it: on some and not on others, where operators set slots."""


def sharing_of(inventories: Iterable[HostInventory]) -> Sharing:
    """Of these hosts."""
    found: dict[str, frozenset[bool]] = {}
    for one in inventories:
        found[one.host_model] = found.get(one.host_model, frozenset()) | {one.shares_cores}
    return found
