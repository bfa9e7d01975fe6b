"""Rules about chains over several hosts: each part has the path and the traffic of all, every host on it can be
reached, none is left alone."""

from ipaddress import IPv6Address, IPv6Network
from itertools import pairwise

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import ChainPath, PathPlace

from sextant_engine.checks.view import View

_LONGEST_PREFIX = 48


def on_one_path(view: View) -> list[str]:
    """Of every chain that starts, stays or stops with a path."""
    wrong = _alone(view)
    for host, chain in view.new_chains:
        spec = view.specs.get(chain.chain)
        part = None if spec is None else spec.part
        if (part is None) != (chain.path is None):
            wrong.append(f"{chain.chain}: a part of a chain has its path, and no other chain has one")
        elif spec is not None and part is not None and chain.path is not None:
            if _of_all(chain.path) != _first_path(view, part.names):
                wrong.append(f"{chain.chain}: its path is not that of {part.of}")
            if (chain.path.tag, chain.path.enters, chain.path.leaves) != (part.tag, part.enters, part.leaves):
                wrong.append(f"{chain.chain}: tag, entry and exit are not those of {part.text}")
            if part.enters:
                wrong += _wrong_way(view, host, chain.path, [view.specs.get(name) for name in part.names])
    return wrong + _changed(view) + _other_traffic(view)


def _other_traffic(view: View) -> list[str]:
    """Packets that enter with the first part pass all others: none bears another rate, or rests while others do not.
    As with seats, what differed before and stays is not this plan's doing."""
    before, after = _borne(view.chains_before), _borne(view.chains_after)
    wrong: list[str] = []
    for tag, now in sorted(after.items()):
        (_, first), *others = sorted(now.items())
        unlike = [name for name, one in others if one != first]
        if unlike and now != before.get(tag):
            wrong.append(f"{', '.join(unlike)}: traffic and pause are not those of all parts of its chain")
        then = before.get(tag, {})
        for name, (traffic, _) in now.items():
            chain = view.chains_after[name][0][1]
            grown = name in then and traffic.largest_packet_bytes > then[name][0].largest_packet_bytes
            if grown and chain.path is not None:
                wrong += _too_large(chain.path, chain.path.mtu, chain.chain, traffic)
    return wrong


def _borne(chains: dict[str, list[tuple[str, DesiredChain]]]) -> dict[int, dict[str, tuple[Traffic, bool]]]:
    """By tag and part: its traffic, and whether it is paused."""
    found: dict[int, dict[str, tuple[Traffic, bool]]] = {}
    for copies in chains.values():
        for _, chain in copies:
            if chain.path is not None:
                found.setdefault(chain.path.tag, {})[chain.chain] = (chain.traffic, chain.paused)
    return found


def _of_all(path: ChainPath) -> ChainPath:
    return path.model_copy(update={"enters": False, "leaves": False})


def _first_path(view: View, names: tuple[str, ...]) -> ChainPath | None:
    copies = view.chains_after.get(names[0], [])
    return _of_all(copies[0][1].path) if copies and copies[0][1].path is not None else None


def _changed(view: View) -> list[str]:
    """What runs keeps its path, and one tag is one chain's on a host."""
    wrong: list[str] = []
    for target in view.body.target:
        host = target.content.host_id
        then = {chain.chain: chain.path for chain in view.before[host].chains} if host in view.before else {}
        tags = [chain.path.tag for chain in target.content.chains if chain.path is not None]
        wrong += [f"{host}: two chains have tag {tag}" for tag in sorted(set(tags)) if tags.count(tag) > 1]
        wrong += [
            f"{host}: {chain.chain} runs, and its path changes"
            for chain in target.content.chains
            if chain.chain in then and chain.path != then[chain.chain]
        ]
    return wrong


def _alone(view: View) -> list[str]:
    """Of a chain that starts or stops in part all NFs on its path run afterwards, or none."""
    before, after = _placed(view.chains_before), _placed(view.chains_after)
    wrong: list[str] = []
    for tag in sorted(before.keys() | after.keys()):
        then, now = before.get(tag), after.get(tag)
        if then == now or now is None:
            continue
        path, nfs = now
        missing = [segment.nf_id for segment in path.segments[:-1] if segment.nf_id not in nfs]
        wrong += [f"{nf_id} does not run, and others on its path do" for nf_id in missing]
    return wrong


def _placed(chains: dict[str, list[tuple[str, DesiredChain]]]) -> dict[int, tuple[ChainPath, frozenset[str]]]:
    """By tag: a path, and the NFs that stand on it."""
    found: dict[int, tuple[ChainPath, frozenset[str]]] = {}
    for copies in chains.values():
        for _, chain in copies:
            if chain.path is not None:
                nfs = frozenset(nf.nf_id for nf in chain.nfs)
                others = found.get(chain.path.tag, (chain.path, frozenset[str]()))[1]
                found[chain.path.tag] = _of_all(chain.path), others | nfs
    return found


def _wrong_way(view: View, entry: str, path: ChainPath, parts: list[ChainSpec | None]) -> list[str]:
    """Segments are of the hosts of their NFs; each host reaches the next, and believes the first; packets fit."""
    known = [spec for spec in parts if spec is not None]
    asked = [(spec.nf_id(at), spec.ingress.host or "") for spec in known for at in range(len(spec.nfs))]
    if [nf_id for nf_id, _ in asked] != [segment.nf_id for segment in path.segments[:-1]]:
        return [f"{path.tag}: its path does not pass the NFs of all parts in their order"]
    hosts = [host for _, host in asked] + [host for _, host in asked[-1:]]
    places = [_place(view, host) for host in hosts]
    if any(place is None for place in places):
        return [f"{path.tag}: not every host on its path says how it is reached"]
    found = [place for place in places if place is not None]
    wrong = [
        f"{segment.sid} is not a segment of {host}"
        for segment, host, place in zip(path.segments, hosts, found, strict=True)
        if not _within(segment.sid, place.locator, path.tag)
    ]
    first = _place(view, entry)
    if first is None or path.source != first.locator.network_address:
        wrong.append(f"{path.source} is not the edge of {entry}")
    narrow = min(place.mtu for place in found)
    for (one, here), (other, there) in pairwise(zip(hosts, found, strict=True)):
        if one == other:
            continue
        links = [link.mtu for link in here.links if any(there.locator.subnet_of(prefix) for prefix in link.to)]
        wrong += [] if links else [f"{one} does not reach {other}"]
        wrong += [] if path.source in there.sources else [f"{other} does not take packets from {path.source}"]
        narrow = min(narrow, *links)  # each of them may come to be taken
    return wrong + _too_large(path, narrow, known[0].name, known[0].traffic)


def _too_large(path: ChainPath, narrow: int, name: str, traffic: Traffic) -> list[str]:
    sizes = traffic.largest_packet_bytes - 14 + 56 + 16 * len(path.segments)
    wrong = [] if path.mtu == narrow else [f"{name}: the MTU of its path is {narrow}, not {path.mtu}"]
    return wrong if sizes <= narrow else [*wrong, f"{name}: packets of {sizes} bytes do not pass {narrow}"]


def _place(view: View, host: str) -> PathPlace | None:
    inventory = view.inventory(host)
    return None if inventory is None else inventory.path_place


def _within(sid: IPv6Address, locator: IPv6Network, tag: int) -> bool:
    return sid in locator and (int(sid) >> (128 - _LONGEST_PREFIX - 16)) & 0xFFFF == tag
