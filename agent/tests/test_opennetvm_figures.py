"""What managers write, read whole and cut short; and why a start failed, by its words."""

import json
from dataclasses import replace

import pytest
from sextant_agent.drivers.opennetvm.figures import InstanceFigures, PortFigures, read_figures, ready_instances
from sextant_agent.drivers.opennetvm.start_failures import failure_text, has_failed

PORT = "2026-11-22 02:24:43,0,367520,9000,96480,8000\n"
NF = "2026-11-22 02:24:43,simple_forward,4,3,5,0,W,0,1000,900,10,9,70,30,7,3,20,880,50,3,0,0,0,0\n"
"""time, tag, instance, service, core, parent, state, children, rx, tx, rx_pps, tx_pps, rx_drop, tx_drop, two rates,
act_out, act_tonf, act_drop, act_next, act_buffer, act_returned, wakeups, rate."""
FOUND = InstanceFigures(
    instance=4, service=3, rx=1000, tx=900, rx_drop=70, tx_drop=30, sent_out=20, dropped=50, handed_on=883
)


def test_figures_are_cumulative_by_instance_and_port() -> None:
    found = read_figures(PORT + NF)
    assert dict(found.ports) == {0: PortFigures(rx=367520, tx=96480)}
    assert dict(found.nfs) == {4: FOUND}


def test_a_packet_is_lost_at_one_nf() -> None:
    """70 at its full ring. The 30 that it failed to hand on are its own where it sends to a port, as this one does; the
    next NF's where it does not."""
    assert FOUND.lost == 100
    assert replace(FOUND, sent_out=0).lost == 70


def test_what_waits_in_a_ring_has_come_and_is_not_decided_on() -> None:
    """1000 came; 20 went out, 50 it dropped, 880 and by the default chain 3 it handed on: 47 wait."""
    assert FOUND.waiting == 47


def test_what_is_cut_short_counts_as_not_written() -> None:
    """A figure cut short would be a smaller one: 96480 without its last digits."""
    whole = PORT + NF
    for length in range(len(whole)):
        found = read_figures(whole[:length])
        assert dict(found.ports) in ({}, {0: PortFigures(rx=367520, tx=96480)})
        assert dict(found.nfs) == {}, "its line ends with the text"


def test_lines_of_another_kind_are_passed_over() -> None:
    assert dict(read_figures("#YYYY-MM-DD HH:MM:SS,nic_rx_pkts\n\nnonsense\na,b,c,d,e,f\n" + NF).nfs) == {4: FOUND}


def event(message: str, instance: int | None) -> dict[str, object]:
    source = {"type": "MGR"} if instance is None else {"type": "NF", "instance_id": instance}
    return {"timestamp": "2026-11-22 09:24:23", "message": message, "source": source}


def test_ready_are_those_that_said_so_and_have_not_stopped() -> None:
    events = [event("Port 0 initialized", None), event("NF Starting", 1), event("NF Ready", 1), event("NF Ready", 2)]
    assert ready_instances(json.dumps(events)) == frozenset({1, 2})
    assert ready_instances(json.dumps([*events, event("NF Stopping", 1)])) == frozenset({2})
    assert ready_instances(json.dumps(events)[:-3]) is None, "cut short: ask again"
    assert ready_instances("") is None and ready_instances('{"a": 1}') is None


@pytest.mark.parametrize(
    ("output", "cause", "permanent"),
    [
        ("Requested core is not enabled or not in range\n", "see nf_cpus", True),
        ("Requested core is busy\n", "the manager is started again", False),
        ("Selected ID already in use. Exiting...\n", "the next try takes another", False),
        ("Service ID must be less than 32\n", "too large", True),
        ("EAL: Primary and secondary process DPDK version mismatch\n", "different versions of DPDK", True),
        (
            "EAL: Cannot create lock on '/x/config'. Is another primary process running?\n",
            "has this file prefix",
            False,
        ),
        ("EAL: No free 2048 kB hugepages reported on node 0\n", "no free huge pages", False),
        ("EAL: Not enough memory available! Requested: 512MB, available: 200MB\n", "fewer free huge pages", False),
        ("EAL: Selected IOVA mode 'PA'\nTELEMETRY: Error with socket binding, path too long\n", "over 107 bytes", True),
        ("EAL: invalid parameter for --lcores\n", "a CPU of opennetvm.toml is not there", True),
    ],
)
def test_the_text_names_the_cause(output: str, cause: str, permanent: bool) -> None:
    """All of these end with the same exit status."""
    found = failure_text("EAL: Detected CPU lcores: 2\n" + output, 1)
    assert cause in found.message and found.permanent is permanent
    assert has_failed(output) is permanent


def test_of_a_port_that_cannot_be_set_up_dpdks_own_line_is_reported() -> None:
    """As a true manager's log has it: standard output is written at the end."""
    said = (
        "Port 0 Rx rings 1 ... \nPort 0 Tx rings 2 ... \nEthdev port_id=0 nb_tx_queues=2 > 1\n"
        "EAL: Error - exiting with code: 1\n  Cause: Cannot initialise port 0\nPort 0 modified RSS hash function\n"
    )
    reported = failure_text(said, 1).message
    assert reported.startswith("the manager cannot set up its port") and reported.endswith(
        "a TX queue for each of `cpus` behind the first two; DPDK said: Ethdev port_id=0 nb_tx_queues=2 > 1"
    )
    silent = said.replace("Ethdev port_id=0 nb_tx_queues=2 > 1\n", "")
    assert "DPDK said" not in failure_text(silent, 1).message


def test_without_known_words_the_last_line_is_reported() -> None:
    noise = "EAL: Detected CPU lcores: 2\nsomething broke\nEAL: Selected IOVA mode 'PA'\n"
    assert failure_text(noise, 1).message == "exit status 1; it said: something broke"
    long = "/a" * 200 + ": librte_eal.so.23: cannot open shared object file"
    assert failure_text(long, 127).message.endswith("librte_eal.so.23: cannot open shared object file"), (
        "cut at its front"
    )
    assert failure_text("", -11).message == "killed by signal 11"
    assert failure_text("", None).message == "it did not end"
