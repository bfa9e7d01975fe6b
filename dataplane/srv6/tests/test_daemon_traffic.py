"""NFs of the testbed's types, source and sink at sockets that the daemon passed: a chain that reroutes under load."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dataplane.tests.conftest import FIREWALL, ROUTER, wait_for
from dataplane.tests.wires import SHELL, Program, program

from .hosts import DEVICES, SIDS, TAG, Chain, hosts
from .test_traffic import SOURCE, sent_all, sink_at, source_at, spec

pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason=f"{SOURCE} is not built")


@contextmanager
def replaced(chain: Chain, number: int, kind: str, config: dict[str, object]) -> Iterator[Program]:
    """The chain's stand-in for an NF ends; the real one takes its place."""
    chain.nfs[number].kill()
    chain.nfs[number].wait()
    with at_its_place(chain, number, kind, config) as started:
        yield started


@contextmanager
def at_its_place(chain: Chain, number: int, kind: str, config: dict[str, object]) -> Iterator[Program]:
    """At a new socket of the daemon's."""
    nf_id = list(DEVICES)[number]
    client = (chain.one, chain.two)[number]
    _, descriptor = client.add("add_nf", nf_id=nf_id, tag=TAG, sid=SIDS[number], device=DEVICES[nf_id])
    arguments = ("--fd", str(descriptor), "--type", kind, "--config", json.dumps(config))
    with program(SHELL, *arguments, inherit=(descriptor,)) as started:
        yield started


@pytest.mark.parametrize("family", [4, 6])
def test_a_chain_of_real_nfs_reroutes_without_losing_a_packet(tmp_path: Path, family: int) -> None:
    with hosts(tmp_path) as made, ExitStack() as stack:
        chain = Chain(made)
        nfs = [
            stack.enter_context(replaced(chain, 0, "router", ROUTER)),
            stack.enter_context(replaced(chain, 1, "firewall", FIREWALL)),
        ]
        sink = stack.enter_context(sink_at(chain.sink.fileno()))
        source = stack.enter_context(source_at(chain.source.fileno(), spec(0.002, family=family)))
        for turn in range(10):
            core = f"core{1 - turn % 2}"
            seen = sink.query()["delivered"]
            chain.one.call("set_way", tag=TAG, sid=SIDS[1], port=core, mac=made.all[1].mac(core))
            wait_for(lambda before=seen: sink.query()["delivered"] > before + 100, "packets by the new way")
        _, now = sent_all(source, sink, 1000)
        assert (now["lost"], now["doubled"], now["damaged"]) == (0, 0, 0)
        assert all(nf.query()["rx"] == now["delivered"] for nf in nfs)
        assert all(made.all[0].sent_by(core) > 300 for core in ("core0", "core1"))
        latencies = [position["nf_latency_ns"] for position in chain.two.call("windows")["windows"][0]["positions"]]
        assert all(latency["p50"] > 0 for latency in latencies[:2])


def test_a_killed_nf_is_followed_by_another_and_the_packets_go_on(tmp_path: Path) -> None:
    with hosts(tmp_path) as made, ExitStack() as stack:
        chain = Chain(made)
        sink = stack.enter_context(sink_at(chain.sink.fileno()))
        source = stack.enter_context(source_at(chain.source.fileno(), spec(0.002)))
        wait_for(lambda: sink.query()["delivered"] > 100, "packets")
        chain.nfs[0].kill()
        chain.nfs[0].wait()
        with at_its_place(chain, 0, "router", ROUTER) as router:
            seen = sink.query()["delivered"]
            wait_for(lambda: sink.query()["delivered"] > seen + 200, "packets through the next one")
            source.client.call("set_rate", rate_mpps=0)
            time.sleep(0.05)
            sent = source.query()["sent"]
            wait_for(
                lambda: (now := sink.query())["delivered"] + now["lost"] == sent, "all of them, or known to be lost"
            )
            assert (now := sink.query())["doubled"] == now["damaged"] == now["misordered"] == 0
            assert router.query()["drops"] == 0


SLOW = {"working_set_bytes": 256 << 20, "lines_per_packet": 4096, "pattern": "chase"}
"""Works on a packet for a third of a millisecond and more: what its socket holds is work for two seconds."""


def test_an_nf_that_is_offered_more_than_it_can_do_delivers_what_is_new(tmp_path: Path) -> None:
    with hosts(tmp_path) as made, ExitStack() as stack:
        chain = Chain(made)
        slow = stack.enter_context(replaced(chain, 0, "bubble", SLOW))
        sink = stack.enter_context(sink_at(chain.sink.fileno()))
        source = stack.enter_context(source_at(chain.source.fileno(), spec(0.02)))
        wait_for(lambda: source.query()["sent"] > 80_000, "four seconds of packets")
        chain.two.call("windows")  # a new window
        seen = sink.query()["delivered"]
        wait_for(lambda: sink.query()["delivered"] > seen + 500, "packets after so long an overload")
        assert slow.query()["drop_causes"]["waited"] > 0
        (window,) = chain.two.call("windows")["windows"]
        assert window["positions"][0]["nf_latency_ns"]["p95"] < 1e9
        assert chain.one.call("read")["counts"]["stale"] == 0
