"""What daemons leave behind when they die, and what is left of them when they are cleaned up."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .hosts import Chain, Host, Hosts, Refused, hosts, wait_for
from .load import Load
from .network import OBJECT, shell

NF = {"nf_id": "other.nf", "tag": 9, "sid": "fc00:0:2::99", "device": 9}
PPS = 1000


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("leavings")) as made:
        Chain(made)
        yield made


def test_a_foreign_filter_stays_and_a_clean_host_has_nothing_of_ours(pair: Hosts) -> None:
    host = pair.all[0]
    pinned = [
        json.loads(shell("bpftool", "-j", "prog", "show", "pinned", pin))
        for pin in host.pins.glob("srv6_*")
        if pin.name in {"srv6_edge", "srv6_core", "srv6_nf_port", "srv6_far"}
    ]
    ours = {program["id"] for program in pinned}
    assert len(ours) == 4
    foreign = host.pins.with_name("foreign")
    shell("bpftool", "prog", "loadall", OBJECT, foreign)
    host.inside(
        "tc", "filter", "add", "dev", "core0", "ingress", "prio", "9", "bpf", "da", "pinned", foreign / "srv6_far"
    )
    refused = subprocess.run(host.command("--clean"), capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "another daemon works" in refused.stderr
    assert host.end() == 0
    host.clean()
    left = host.inside("tc", "filter", "show", "dev", "core0", "ingress")
    assert left.count(" bpf ") > 0 and "pref 9" in left and "pref 1 " not in left
    assert "clsact" in host.inside("tc", "qdisc", "show", "dev", "core0"), "with a foreign filter in it it stays"
    assert "clsact" not in host.inside("tc", "qdisc", "show", "dev", "core1")
    assert "sx" not in host.inside("ip", "link", "show")
    assert not host.pins.exists()
    wait_for(lambda: not ours & _programs(), "the kernel to free the programs")
    client = host.start()
    assert client.call("hello")["adopted"] is False
    assert client.call("read")["nfs"] == []


def _programs() -> set[int]:
    return {program["id"] for program in json.loads(shell("bpftool", "-j", "prog", "show"))}


def test_a_clsact_that_was_there_stays(pair: Hosts) -> None:
    host = pair.all[1]
    host.inside("ip", "link", "add", "old", "type", "veth", "peer", "name", "old-peer")
    host.inside("tc", "qdisc", "add", "dev", "old", "clsact")
    client = host.client()
    client.call("attach", port="old", kind="edge")
    client.call("attach", port="old", kind="edge")
    client.call("detach", port="old")
    assert "clsact" in host.inside("tc", "qdisc", "show", "dev", "old")
    assert "bpf" not in host.inside("tc", "filter", "show", "dev", "old", "ingress")


def test_what_a_dead_daemon_left_half_made_is_made_whole(pair: Hosts) -> None:
    """Killed again and again in the midst of adding and removing; then a pair whose ends have no alias yet."""
    host = pair.all[1]
    for turn in range(12):
        client = host.client()
        end = time.monotonic() + 0.013 * turn
        while time.monotonic() < end:
            for op, fields in (("add_nf", NF), ("remove", {"nf_id": NF["nf_id"]})):
                _, passed = client.ask(op, **fields)
                for descriptor in passed:
                    os.close(descriptor)
        client.socket.sendall(json.dumps({"op": "add_nf", **NF}).encode() + b"\n")
        time.sleep(0.001 * turn)
        host.end(signal.SIGKILL)
        client = host.start()
        answer, descriptor = client.add("add_nf", **NF)
        os.close(descriptor)
        assert [nf["port"] for nf in client.call("read")["nfs"] if nf["nf_id"] == NF["nf_id"]] == [answer["port"]]
    client.call("remove", nf_id=NF["nf_id"])
    host.end()
    near, far = answer["link"], answer["link"][:-1] + "b"
    ends = ("address", answer["mac"], "type", "veth", "peer", "name", far, "address", answer["peer_mac"])
    host.inside("ip", "link", "add", near, *ends)
    host.start().call("hello")  # it listens before it has looked at what there is
    assert near not in host.inside("ip", "link", "show")


def _aliases(host: Host) -> dict[str, str]:
    """By link of ours."""
    found = json.loads(host.inside("ip", "-j", "link", "show"))
    return {one["ifname"]: one.get("ifalias", "") for one in found if one["ifname"].startswith("sx")}


def _generations(host: Host) -> set[str]:
    return {alias.split(":")[2] for alias in _aliases(host).values()}


def test_links_bear_owner_and_generation_which_a_successor_takes_over(pair: Hosts) -> None:
    host = pair.all[1]
    before = _aliases(host)
    assert before and all(alias.startswith(f"sextant:{host.name}:") for alias in before.values())
    (generation,) = _generations(host)
    assert len(generation) == 16
    host.end(signal.SIGKILL)
    host.start().call("hello")
    assert _aliases(host) == before


def test_links_of_maps_that_have_gone_are_removed_and_later_ones_left_alone(tmp_path: Path) -> None:
    """Somebody removed the pins: nothing says any more what the links were for, and whoever held one is told."""
    with hosts(tmp_path) as made:
        host = made.all[0]
        client = host.start()
        answer, descriptor = client.add("add_nf", **NF)
        (generation,) = _generations(host)
        host.end()
        shutil.rmtree(host.pins)
        client = host.start()
        assert client.call("hello")["adopted"] is False and client.call("read")["nfs"] == []
        assert answer["link"] not in _aliases(host)
        (later,) = _generations(host)
        assert int(later, 16) > int(generation, 16)
        with socket.socket(fileno=descriptor) as held, pytest.raises(OSError):
            held.send(bytes(64))
            held.send(bytes(64))
        # one that a person, or another daemon of that name, calls later than all that is here
        again, descriptor = client.add("add_nf", **NF)
        os.close(descriptor)
        alias = f"sextant:{host.name}:{'f' * 16}:nf:{NF['nf_id']}"
        host.inside("ip", "link", "set", again["link"], "alias", alias)
        host.end()
        client = host.start()
        assert client.call("read")["nfs"] == [] and _aliases(host)[again["link"]] == alias
        with pytest.raises(Refused) as refused:
            client.ask("add_nf", **NF)
        assert refused.value.code == "exists" and _aliases(host)[again["link"]] == alias
        host.end()
        host.clean()
        assert _aliases(host) == {}


def _as_before_generations(host: Host) -> None:
    """What a daemon of then left behind: maps that hold no generation, and links whose aliases name none."""
    for name, alias in _aliases(host).items():
        owner, of, _, rest = alias.split(":", 3)
        host.inside("ip", "link", "set", name, "alias", f"{owner}:{of}:{rest}")
    shell("bpftool", "map", "delete", "pinned", host.pins / "srv6_attached", "key", "hex", *["ff"] * 4)


def test_maps_and_links_of_before_there_were_generations_are_taken_over(tmp_path: Path) -> None:
    """While packets pass. New links of such maps have no generation either, so that one more successor finds them."""
    with hosts(tmp_path) as made:
        chain, host = Chain(made), made.all[0]
        before = chain.one.call("read")
        with Load(chain.source, chain.sink, PPS) as load:
            time.sleep(0.3)
            host.end(signal.SIGKILL)
            _as_before_generations(host)
            aliases = _aliases(host)
            client = host.start()
            assert client.call("hello")["adopted"] is True
            time.sleep(0.3)
        assert load.sent > PPS / 4 and load.got == list(range(load.sent))
        assert _aliases(host) == aliases
        answer, descriptor = client.add("add_nf", **NF)
        os.close(descriptor)
        assert _aliases(host)[answer["link"]] == f"sextant:{host.name}:nf:{NF['nf_id']}"
        host.end(signal.SIGKILL)
        read = host.start().call("read")
        ports = {nf["nf_id"]: nf["port"] for nf in read["nfs"]}
        assert ports == {**{nf["nf_id"]: nf["port"] for nf in before["nfs"]}, NF["nf_id"]: answer["port"]}
        assert [edge["port"] for edge in read["edges"]] == [edge["port"] for edge in before["edges"]]
        host.end()
        host.clean()
        assert _aliases(host) == {}


def test_links_of_before_there_were_generations_go_where_their_maps_have_gone(tmp_path: Path) -> None:
    with hosts(tmp_path) as made:
        host = made.all[0]
        answer, descriptor = host.start().add("add_nf", **NF)
        os.close(descriptor)
        host.end()
        _as_before_generations(host)
        shutil.rmtree(host.pins)
        client = host.start()
        assert client.call("hello")["adopted"] is False
        assert answer["link"] not in _aliases(host) and len(_generations(host)) == 1
        host.end()
        host.clean()


def test_pins_of_a_namespace_that_has_gone_are_begun_anew(pair: Hosts) -> None:
    host = pair.all[1]
    host.end()
    shell("ip", "netns", "delete", host.namespace)
    shell("ip", "netns", "add", host.namespace)
    client = host.start()
    assert client.call("hello")["adopted"] is False
    read = client.call("read")
    assert read["nfs"] == read["exits"] == [] and set(read["counts"].values()) == {0}
    host.end()
    host.clean()
    assert not host.pins.exists()
