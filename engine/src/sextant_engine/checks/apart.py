"""The rule of anti-affinity. What stood together before and stays is not this plan's doing."""

from collections.abc import Iterator

from sextant_domain.hosts.desired import HostContent

from sextant_engine.checks.view import View


def kept_apart(view: View) -> list[str]:
    """No two chains of a group come to share a host, or a node where both may share the host (what a host is found to
    run is accepted as it is)."""
    if view.body.intent.kind == "align":
        return []
    wrong: list[str] = []
    for target in view.body.target:
        host = target.content.host_id
        before = set(_together(view, view.before[host])) if host in view.before else set()
        wrong += sorted(set(_together(view, target.content)) - before)
    return wrong


def _together(view: View, content: HostContent) -> Iterator[str]:
    """One text for each pair and what they share."""
    members: dict[str, list[tuple[str, bool, set[int]]]] = {}
    for chain in content.chains:
        spec = view.specs.get(chain.chain)
        if spec is not None and spec.anti_affinity is not None:
            cores = (view.core(content.host_id, nf.core) for nf in chain.nfs)
            nodes = {core.node for core in cores if core is not None}
            by_node = spec.anti_affinity.scope == "node"
            members.setdefault(spec.anti_affinity.group, []).append((chain.chain, by_node, nodes))
    for group, chains in members.items():
        for position, (name, by_node, nodes) in enumerate(chains):
            for other, other_by_node, other_nodes in chains[:position]:
                pair = f"{other} and {name} of anti-affinity group {group} both stand on"
                if not (by_node and other_by_node):
                    yield f"{pair} {content.host_id}"
                else:
                    yield from (f"{pair} node {node} of {content.host_id}" for node in sorted(nodes & other_nodes))
