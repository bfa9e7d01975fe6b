"""NFs that cannot stay where they are: their core is gone, blocked, or holds more than it has slots."""

from sextant_engine.host_state import HostState
from sextant_engine.seats import Seats


def misplaced(host: HostState) -> dict[str, str]:
    """NFs that cannot stay where they are, and why; by chain name and position."""
    seats = Seats(host.cores.layout, ())
    cores = {core.id: core for core in host.inventory.cores}
    found: dict[str, str] = {}
    for nf in host.nfs():
        unit = seats.unit_of(nf.core)
        if unit is None:
            found[nf.nf_id] = f"core {nf.core} is not there any more"
        elif unit.blocked is not None:
            found[nf.nf_id] = unit.blocked
        elif (
            seats.occupied(unit) >= unit.capacity
            or nf.slot >= cores[nf.core].slots
            or not seats.slot_is_free(unit, nf.slot)
        ):
            found[nf.nf_id] = f"core {nf.core} holds more NFs than it has slots"
        else:
            seats.take(nf.core, nf.slot)
    return found
