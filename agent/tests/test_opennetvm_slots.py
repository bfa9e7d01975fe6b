"""Whether operators may set slots on an OpenNetVM host: its managers say, since under one that polls NFs poll too."""

from sextant_agent.drivers.opennetvm.inventory import shared_slots

from .opennetvm_world import place


def test_every_manager_has_to_be_shared() -> None:
    shared, polling = place(shared=True, cpus=[0, 1, 2, 3]), place("east")
    assert shared_slots([shared]).available
    found = shared_slots([shared, polling])
    assert (found.name, found.available) == ("shared-slots", False)
    assert found.reason == "NFs of manager 'east' poll, so each needs a CPU of its own; set `shared = true` for it"
