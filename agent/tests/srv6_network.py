"""Hosts of measured packets that are joined by ports with their names, and pass on what is for others."""

from sextant_agent.drivers.srv6.place import Srv6Place

from .srv6_host import Srv6Host, shell

GATEWAY = "fe80::1"
"""Each neighbour knows the Ethernet address that belongs to it, so that nobody need have it."""


def join(one: Srv6Host, other: Srv6Host) -> None:
    """By a port with the other's name on each."""
    ends = [("name", peer.name, "mtu", "9200", "netns", host.namespace) for host, peer in ((one, other), (other, one))]
    shell("ip", "link", "add", *ends[0], "type", "veth", "peer", *ends[1])
    for host, peer in ((one, other), (other, one)):
        shell("ip", "-n", host.namespace, "link", "set", peer.name, "up")


def place(host: Srv6Host, hosts: list[Srv6Host], over: dict[Srv6Host, list[Srv6Host]]) -> None:
    """`over`: neighbour -> whom it leads to; of several that lead to one, the first is preferred. What is for others
    goes there by the kernel's routes, too."""
    links, routed = [], set[str]()
    for peer, behind in over.items():
        mac, ip = peer.mac(host.name), ("ip", "-n", host.namespace, "-6")
        links.append({"port": peer.name, "mac": mac, "to": [one.prefix for one in behind]})
        neighbour = ("neighbour", "replace", GATEWAY, "lladdr", mac, "dev", peer.name, "nud", "permanent")
        shell(*ip, *neighbour)
        for one in behind:
            if one.prefix not in routed:
                shell(*ip, "route", "replace", one.prefix, "via", GATEWAY, "dev", peer.name)
                routed.add(one.prefix)
    sources = [one.place.source for one in hosts if one is not host]
    host.place = Srv6Place.model_validate(host.place.model_dump() | {"link": links, "sources": sources})


def forward(host: Srv6Host) -> None:
    """Its kernel passes on what is for others."""
    shell("ip", "netns", "exec", host.namespace, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")
