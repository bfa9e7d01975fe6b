"""Packets that carry their measurements, over two hosts with the real daemon in each (dataplane/srv6/tests/hosts.py has
the picture). NFs are routers of the kernel, as those of the peers, or `sextant-srv6-nf` on the sockets that the daemon
passes."""

import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ends import Ends, ends, go_first
from setting import NotMeasured

from dataplane.srv6.tests.hosts import CHAIN, DAEMON, DEVICES, SIDS, TAG, Client, Host, Hosts, hosts
from dataplane.srv6.tests.hosts import MTU as LINK_MTU
from dataplane.srv6.tests.hosts import SOURCE as EDGE
from dataplane.srv6.tests.network import OBJECT, shell, why_not
from dataplane.tests.conftest import CONFIGS
from dataplane.tests.wires import SHELL, Program, program

PREFIX = "2001:db8::/112"


class Measured:
    """The chain, standing."""

    def __init__(self, made: Hosts, kinds: Sequence[str] | None) -> None:
        """`kinds`: of the two NFs; None: routers of the kernel."""
        self.hosts, self.stack = made, made.stack
        self.one, self.two = (self._begin(host, number) for number, host in enumerate(made.all, 1))
        self.nfs: list[Program] = []
        for number, (host, client) in enumerate(zip(made.all, (self.one, self.two), strict=True), 1):
            nf_id = list(DEVICES)[number - 1]
            given = {"nf_id": nf_id, "tag": TAG, "sid": SIDS[number - 1], "device": DEVICES[nf_id]}
            answer, descriptor = client.add("add_nf", **given)
            if kinds is None:
                os.close(descriptor)
                self._route_back(host, str(answer["mac"]), str(answer["peer_mac"]))
            else:
                self.nfs.append(self._start_nf(descriptor, kinds[number - 1]))
        edge, source = self.one.add("add_edge", chain=CHAIN)
        _, sink = self.two.add("add_exit", chain=CHAIN, tag=TAG, sid=SIDS[2])
        self.one.call("set_way", tag=TAG, sid=SIDS[0], local=True)
        for sid in SIDS[1:]:
            self.lead("core0", sid)
        self.two.call("set_way", tag=TAG, sid=SIDS[2], local=True)
        self.segments(*SIDS)
        self.ends: Ends = self.stack.enter_context(ends(source, sink, str(edge["mac"]), PREFIX))

    def segments(self, *sids: str) -> None:
        """Of the path from now on."""
        self.one.call("set_path", chain=CHAIN, tag=TAG, source=EDGE, segments=list(sids), mtu=LINK_MTU)

    def lead(self, port: str, sid: str = SIDS[1]) -> None:
        """By this link to the second host from now on: one update of one map."""
        self.one.call("set_way", tag=TAG, sid=sid, port=port, mac=self._macs[port])

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Nobody reads mirrors while the block runs: the rings are full, and a mirror is counted as lost."""
        daemons = [host.process for host in self.hosts.all if host.process is not None]
        for daemon in daemons:
            daemon.send_signal(signal.SIGSTOP)
        try:
            self.ends.send(20, 1)  # until the rings are full
            yield
        finally:
            for daemon in daemons:
                daemon.send_signal(signal.SIGCONT)

    def counts(self) -> dict[str, int]:
        """Of both hosts together."""
        both = [client.call("read")["counts"] for client in (self.one, self.two)]
        return {name: sum(int(counts[name]) for counts in both) for name in both[0]}

    def nf_ns(self) -> int:
        """CPU time of both NFs' processes."""
        return sum(int(nf.query()["cpu_ns"]) for nf in self.nfs)

    def _begin(self, host: Host, number: int) -> Client:
        client = host.start()
        own, others = f"fc00:0:{number}::/48", f"fc00:0:{3 - number}::/48"
        client.call("set_host", own=[own], others=[others], sources=[EDGE])
        for port in ("core0", "core1"):
            client.call("attach", port=port, kind="core")
        self._macs = {port: host.mac(port) for port in ("core0", "core1")}  # in the end: of the second host
        return client

    def _start_nf(self, descriptor: int, kind: str) -> Program:
        arguments = ("--fd", str(descriptor), "--type", kind, "--config", json.dumps(CONFIGS.get(kind, {})))
        nf = self.stack.enter_context(program(SHELL, *arguments, inherit=(descriptor,)))
        go_first(nf.process.pid)
        return nf

    def _route_back(self, host: Host, near: str, far: str) -> None:
        """The far end moves to a namespace whose kernel routes all of it back."""
        namespace, gateway = f"{host.namespace}-nf", "fe80::1"
        shell("ip", "netns", "add", namespace)
        self.stack.callback(shell, "ip", "netns", "delete", namespace)
        links = json.loads(host.inside("ip", "-j", "link", "show"))
        link = next(str(one["ifname"]) for one in links if one["address"] == far)
        host.inside("ip", "link", "set", link, "netns", namespace)
        inside = ("nsenter", f"--net=/run/netns/{namespace}")
        for setting in ("all.forwarding=1", "default.forwarding=1", f"{link}.disable_ipv6=0", f"{link}.accept_dad=0"):
            shell(*inside, "sysctl", "-qw", f"net.ipv6.conf.{setting}")
        shell("ip", "-n", namespace, "link", "set", link, "up")
        neighbour = ("neighbour", "replace", gateway, "lladdr", near, "dev", link, "nud", "permanent")
        shell("ip", "-n", namespace, "-6", *neighbour)
        shell("ip", "-n", namespace, "-6", "route", "replace", "default", "via", gateway, "dev", link)


@contextmanager
def measured(folder: Path, kinds: Sequence[str] | None = None) -> Iterator[Measured]:
    """Gone afterwards. Raises NotMeasured."""
    missing = [str(path) for path in (DAEMON, OBJECT, SHELL) if not path.exists()]
    reason = why_not() or (f"{', '.join(missing)} not built: make setup" if missing else None)
    if reason is not None:
        raise NotMeasured(reason)
    with hosts(folder) as made:
        yield Measured(made, kinds)
