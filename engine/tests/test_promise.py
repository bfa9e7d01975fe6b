"""Upper bounds of what a host can give a chain, against arithmetic done by hand."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.evidence import Algorithm
from sextant_engine.fleet import Draft, Policy
from sextant_engine.planning.candidates import Chooser
from sextant_engine.stop import Never


def judged(fleet):
    chooser = Chooser(Draft(fleet, Algorithm.NODE_FIRST, 0, Never(), Policy()))
    spec = chooser.draft.specs["new"]
    (candidate,), _ = chooser.judge(spec)
    return candidate, chooser.solve(candidate, spec)


def test_alone_on_an_empty_host_the_promise_is_the_gain():
    """One router at 20 Mpps: 14 (1 - .02) = 13.72 Mpps, of value 2: 27.44."""
    candidate, choice = judged(snapshot([host(numa_inventory())], [chain("new", "router", rate=20.0, value=2.0)]))
    assert candidate.promise == pytest.approx(27.44)
    assert choice.gain == pytest.approx(27.44)


def test_what_stands_there_lowers_the_promise_and_what_it_loses_lowers_the_gain():
    """A firewall (weight 1/16) stands on node 0; a router comes, at more than it can do.

    Promise: llc >= 1/16, mem = 1/12 + 1/16 - 1/12: 14 (1 - .30/16 - .12/16 - .02) = 13.3525.
    Gain: the same less what the firewall loses: before 10 (1 - .02) = 9.8, after 10 (1 - .38/12 - .02) = 9.48333.
    """
    inventory, old = numa_inventory(), chain("old", "firewall", rate=20.0)
    given = snapshot([host(inventory, [running(old, inventory, [(0, 0)])])], [old, chain("new", "router", rate=20.0)])
    candidate, choice = judged(given)
    assert candidate.promise == pytest.approx(13.3525)
    assert choice.gain == pytest.approx(13.3525 - (9.8 - 9.48333), abs=1e-4)


def test_nothing_is_promised_above_what_is_offered():
    candidate, _ = judged(snapshot([host(numa_inventory())], [chain("new", "router", rate=1.5)]))
    assert candidate.promise == 1.5
