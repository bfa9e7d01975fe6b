"""What sharing fewer cores would free and cost, by worked examples."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import Capability
from sextant_engine.consolidation import SLOTS, consolidation_of
from test_compact import models, shared  # router 10 %, firewall 20 %, monitor 5 % of a core a Mpps


def of(inventory, *standing, known=True):
    """`standing`: (chain, seats)."""
    here = host(inventory, [running(spec, inventory, seats) for spec, seats in standing])
    given = snapshot([here], [spec for spec, _ in standing], models(inventory) if known else None)
    return consolidation_of(given, inventory.host_id, here.content)


def test_a_chain_over_three_cores_fits_on_one():
    """At 2 Mpps 20 + 40 + 10 = 70 %. The core that is needed most, the firewall's, stays: two moves, two cores freed,
    and of two hops of 2 Mpps none is left. It carries 2 Mpps either way."""
    found = of(shared(cores=3), (chain("web", rate=2.0), [(0, 0), (1, 0), (2, 0)]))
    assert (found.freed, found.moves, found.proven, found.slots, found.note) == ((0, 2), 2, True, None, None)
    assert (found.delayed_before, found.delayed) == (4.0, 0.0)
    assert [(core.core, core.before_percent, core.nfs_percent) for core in found.cores] == [
        (0, pytest.approx(20), 0),
        (1, pytest.approx(40), pytest.approx(70)),
        (2, pytest.approx(10), 0),
    ]
    assert found.cores[1].nf_ids == ("web.router", "web.firewall", "web.basic-monitor")
    [web] = found.chains
    assert (web.before_mpps, web.mpps) == (pytest.approx(2.0), pytest.approx(2.0))
    assert web.before_low_mpps == pytest.approx(1.8, abs=0.01), "with twice the room: one clock, 10 %"
    assert web.low_mpps is None, "1 / .35 = 2.86 Mpps are less than twice its offer: nobody measured that here"


def test_what_does_not_fit_on_one_core_frees_the_third():
    """At 4 Mpps 40 + 80 + 20 = 140 %: two cores, of 90 % each, hold it, and the firewall has one alone."""
    found = of(shared(cores=3), (chain("web", rate=4.0), [(0, 0), (1, 0), (2, 0)]))
    assert (found.freed, found.moves, found.proven) == ((2,), 1, True)
    assert max(core.nfs_percent for core in found.cores) <= 90.0 + 1e-6


@pytest.mark.parametrize(
    ("standing", "note"),
    [
        ((), "it runs no NF"),
        (((chain("web"), [(0, 0), (0, 1), (0, 2)]),), "its NFs stand on one core already"),
        (((chain("web", rate=4.4), [(0, 0), (1, 0), (0, 1)]),), "no fewer of its 2 cores have the time"),
    ],
)
def test_where_nothing_can_be_freed_it_says_why(standing, note):
    """At 4.4 Mpps 44 + 88 + 22 %."""
    found = of(shared(), *standing)
    assert (found.freed, found.cores, found.chains) == ((), (), ()) and note in (found.note or "")


def test_what_was_never_measured_is_not_guessed():
    found = of(shared(), (chain("web"), [(0, 0), (1, 0), (0, 1)]), known=False)
    assert "how much of a core is needed by basic-monitor, firewall, router" in (found.note or "")


def test_cores_of_their_own_would_have_to_be_shared_first():
    """35 % of one core in all: with four slots a core one holds them."""
    web = (chain("web"), [(0, 0), (1, 0), (2, 0)])
    able = numa_inventory(nodes=1)
    able = able.model_copy(
        update={
            "ports": (),
            "capabilities": (*able.capabilities, Capability(name="shared-slots", available=True, reason="always")),
        }
    )
    found = of(able, web)
    assert (found.slots, found.freed) == (SLOTS, (0, 2))
    never = Capability(name="shared-slots", available=False, reason="its NFs poll")
    unable = able.model_copy(update={"capabilities": (*numa_inventory().capabilities, never)})
    assert of(unable, web).note == "its cores cannot be shared: its NFs poll"
