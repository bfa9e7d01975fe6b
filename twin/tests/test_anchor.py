"""Compute cycles from cycles alone."""

import json

import pytest
from sextant_twin import calibration, machines, nfs
from sextant_twin._core import Host
from sextant_twin.anchor import compute_cycles, past_own_cache
from sextant_twin.errors import BadTwinInput


@pytest.mark.parametrize("name", [name for name in nfs.names() if nfs.load(name).solo is not None])
def test_with_these_cycles_the_nf_alone_takes_what_was_published(name: str):
    nf = nfs.load(name).fitted(calibration.load())
    assert nf.solo is not None
    machine = machines.load(nf.solo.machine)
    host = Host(machine.core_json(calibration.load()))
    compute = compute_cycles(nf, host, machine.clock)
    assert 0 < compute < nf.solo.cycles
    # Fewer cycles leave less, cycle by cycle: what waits does not depend on what is computed, by much.
    longer = nf.model_copy(update={"solo": nf.solo.model_copy(update={"cycles": nf.solo.cycles + 100})})
    assert compute_cycles(longer, host, machine.clock) == pytest.approx(compute + 100, abs=15)


def test_as_many_accesses_come_to_the_llc_as_were_published():
    """EffiCuts: of 8.73 accesses 6.33 come through the core's own 256 KiB, in which half of them find some of their
    205 KiB. So that 8.73 come through, it asks 8.73 / 6.33 = 1.38 times as often; of these again 1.38 times."""
    machine = machines.load("xeon-e5-2695-v4")
    host = Host(machine.core_json(calibration.load()))
    nf = nfs.load("resq-efficuts")
    more = past_own_cache(nf, host)
    assert more.streams[0].accesses / nf.streams[0].accesses == pytest.approx(1.38, abs=0.01)
    assert past_own_cache(more, host).streams[0].accesses == pytest.approx(1.38 * more.streams[0].accesses, rel=0.01)


def test_an_nf_whose_own_cache_holds_all_of_its_state_keeps_its_accesses():
    """Firewall: 64 KiB in 256 KiB, so that nothing comes to the LLC, however often it asks."""
    host = Host(machines.load("xeon-e5-2695-v4").core_json(calibration.load()))
    nf = nfs.load("resq-firewall")
    assert past_own_cache(nf, host) == nf


def test_an_nf_whose_compute_cycles_are_known_keeps_them():
    host = Host(machines.load("xeon-gold-6126").core_json(calibration.load()))
    router = nfs.load("router")
    assert compute_cycles(router, host, 2.6e9) == router.compute


def test_an_nf_of_which_only_cycles_alone_are_known_is_not_given_to_the_core_without_them():
    with pytest.raises(BadTwinInput, match="compute"):
        nfs.load("resq-snort").core()


@pytest.mark.parametrize("name", machines.names())
def test_the_core_takes_every_machine_and_every_nf(name: str):
    """Alone on a core at 1 kpps nothing is lost: 64 B of the quickest machines take microseconds at most."""
    machine = machines.load(name)
    host = Host(machine.core_json(calibration.load()))
    for nf in nfs.names():
        setting = {
            "nfs": {nf: nfs.load(nf).core(compute_cycles=100.0 if nfs.load(nf).compute is None else None)},
            "instances": [{"id": "i", "nf": nf, "core": 0}],
            "chains": [
                {
                    "id": "c",
                    "stages": ["i"],
                    "execution": "run_to_completion",
                    "traffic": {"rate_pps": 1000.0, "frames": [{"bytes": 64, "share": 1}], "flows": 1000},
                    "nic": 0,
                    "ring_packets": 512,
                    "rx_descriptors": 512,
                    "tx_descriptors": 512,
                    "burst": 32,
                }
            ],
        }
        outcome = json.loads(host.steady(json.dumps(setting)))
        assert outcome["chains"][0]["delivered_pps"] == pytest.approx(1000.0)
