"""One law divides a core: where chains on it have share bounds of two, nobody divides it."""

from collections.abc import Iterator

from sextant_domain.hosts.desired import DesiredChain

from sextant_engine.host_state import HostState


def opposed(host: HostState, chain: DesiredChain) -> Iterator[tuple[int, DesiredChain]]:
    """Cores of this chain, which stands there or would, with another chain on them that names another law."""
    if chain.share_bounds is None:
        return
    here = {nf.core for nf in chain.nfs}
    for name, other in sorted(host.chains.items()):
        if name != chain.chain and other.share_bounds is not None and other.share_bounds.law != chain.share_bounds.law:
            yield from ((core, other) for core in sorted({nf.core for nf in other.nfs} & here))


def divided_by_two(host: HostState) -> Iterator[str]:
    """For a person, core by core."""
    cores: dict[int, set[str]] = {}
    for chain in host.chains.values():
        for core, other in opposed(host, chain):
            cores.setdefault(core, set()).update((chain.chain, other.chain))
    for core, names in sorted(cores.items()):
        chains = " and ".join(sorted(names))
        what = f"core {core} of {host.name} is to be divided by two laws, of {chains}"
        yield f"{what}: nobody divides it until their share bounds name one"
