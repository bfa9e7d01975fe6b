"""Peers of the programs, on the same picture of two hosts, an NF beside each and a tenant at either end: the kernel's
own SRv6 with as many segments, and plain IPv6 on the same way. NFs are routers of the kernel.

tenant1 -- edge [host1] core -- core [host2] edge -- tenant2
              nf |                     | nf
               [nf1]                 [nf2]
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ends import Ends, ends
from setting import NotMeasured

from dataplane.srv6.tests.network import SIDS, Network, shell
from dataplane.tests.wires import packet_socket

SEGMENTS_TO, PLAIN_TO = "2001:db8::/112", "2001:db8:1::/112"
FAR_TENANT = "2001:db8::2"
FORWARDING = ("net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.forwarding=1")


class KernelNetwork(Network):
    """Without programs of ours."""

    def _host(self, name: str, number: int) -> None:
        self._forward(name)
        self._nf(number)
        shell(*self.inside(name, "ip", "-6", "address", "add", f"fd00:c::{number}/64", "dev", "core", "nodad"))
        if number == 1:
            self._first(name)
        else:
            self._second(name)
        self._silence(f"tenant{number}", f"t{number}")

    def segments(self, *sids: str) -> None:
        """What the first host writes into packets."""
        route = ("2001:db8::/64", "encap", "seg6", "mode", "encap", "segs", ",".join(sids), "dev", "core")
        self._route("host1", *route)

    def ethernet(self, namespace: str, interface: str) -> str:
        """Its address."""
        return self.link(namespace, interface)[1].hex(":")

    def _first(self, name: str) -> None:
        shell(*self.inside(name, "ip", "sr", "tunsrc", "set", "fc00:0:1::"))
        self._route(name, "fc00:0:2::/48", "via", "fd00:c::2", "dev", "core")
        self._route(name, "2001:db8:1::/64", "via", "fd00:c::2", "dev", "core")
        self._local(name, SIDS[0], "End.X", "nh6", "fd00:1::2", port="nf")
        self.segments(*SIDS)
        self._plainly(name, "edge", 1)

    def _second(self, name: str) -> None:
        ether = self.ethernet("tenant2", "t2")
        ip = self.inside(name, "ip", "-6")
        shell(*ip, "neighbour", "replace", FAR_TENANT, "lladdr", ether, "dev", "edge", "nud", "permanent")
        self._route(name, f"{FAR_TENANT}/128", "dev", "edge")
        self._route(name, "2001:db8:1::/64", "via", FAR_TENANT, "dev", "edge", "onlink")
        self._local(name, SIDS[1], "End.X", "nh6", "fd00:2::2", port="nf")
        self._local(name, SIDS[2], "End.DX6", "nh6", FAR_TENANT, port="edge")
        self._plainly(name, "core", 2)

    def _nf(self, number: int) -> None:
        """A router beside the host that gives everything back."""
        name, beside = f"nf{number}", f"host{number}"
        self._forward(name)
        for namespace, interface, own in ((beside, "nf", 1), (name, f"n{number}", 2)):
            address = (f"fd00:{number}::{own}/64", "dev", interface, "nodad")
            shell(*self.inside(namespace, "ip", "-6", "address", "add", *address))
        self._route(name, "default", "via", f"fd00:{number}::1", "dev", f"n{number}")

    def _plainly(self, name: str, port: str, number: int) -> None:
        """What comes in there passes the NF, too."""
        table = ("table", "101")
        shell(*self.inside(name, "ip", "-6", "rule", "add", "iif", port, "lookup", "101"))
        self._route(name, "2001:db8:1::/64", "via", f"fd00:{number}::2", "dev", "nf", *table)

    def _local(self, name: str, sid: str, *action: str, port: str) -> None:
        self._route(name, f"{sid}/128", "encap", "seg6local", "action", *action, "dev", port)

    def _route(self, name: str, *words: str) -> None:
        shell(*self.inside(name, "ip", "-6", "route", "replace", *words))

    def _forward(self, name: str) -> None:
        for setting in (*FORWARDING, "net.ipv6.conf.all.seg6_enabled=1"):
            shell(*self.inside(name, "sysctl", "-qw", setting))

    def _silence(self, tenant: str, interface: str) -> None:
        """The packet socket has seen what comes: the kernel need not take it."""
        shell(*self.inside(tenant, "sysctl", "-qw", f"net.ipv6.conf.{interface}.disable_ipv6=1"))


class Peers:
    """Both."""

    def __init__(self, network: KernelNetwork, both: Ends) -> None:
        self.network, self.ends = network, both

    def plain(self) -> Ends:
        """IPv6 without segments."""
        self.ends.set_destination(PLAIN_TO)
        return self.ends

    def segment_routing(self) -> Ends:
        """The kernel's SRv6."""
        self.ends.set_destination(SEGMENTS_TO)
        return self.ends


@contextmanager
def peers(folder: Path) -> Iterator[Peers]:
    """Gone afterwards. Raises NotMeasured where this kernel lacks one."""
    with ExitStack() as stack:
        network = KernelNetwork(folder)
        try:
            network.build(stack)
        except AssertionError as error:
            raise NotMeasured(f"the kernel's SRv6 cannot be set up here: {error}") from error
        sockets = [stack.enter_context(packet_socket(f"{network.prefix}tenant{at}", f"t{at}")) for at in (1, 2)]
        to = network.ethernet("host1", "edge")
        both = stack.enter_context(ends(sockets[0].fileno(), sockets[1].fileno(), to, PLAIN_TO))
        yield Peers(network, both)
