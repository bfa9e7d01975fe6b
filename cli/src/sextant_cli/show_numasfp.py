"""A host in NUMASFP's law, as text."""

from sextant_domain.laws.numasfp_view import NumasfpChain, NumasfpHost

from sextant_cli.figures import NONE, ago, gbps
from sextant_cli.output import Printer


def show_numasfp_host(out: Printer, view: NumasfpHost) -> None:
    """What it does and why, then nodes, chains, moves and transfers."""
    out.line(f"host       {view.host}, policy {view.mode.value}")
    if view.stopped:
        out.line(f"stopped    {view.stopped}", style="yellow")
    out.line(f"at present {view.reason}")
    out.line(
        f"evaluated  {ago(view.evaluated_at)}; rates {view.provenance.value if view.provenance else 'not measured'}"
    )
    out.line(f"gain       {_gain_text(view)}")
    moved = f"{len(view.moves)} of {view.budget_moves} chains in {view.budget_s:g} s"
    out.line(f"moves      {moved}" + ("; the published algorithm is followed" if view.following_published else ""))
    out.line(f"levels     {_table_text(view)}")
    if view.recommendation_id is not None:
        out.line(f"open       recommendation {view.recommendation_id}; see sextant recommendations", style="cyan")
    if view.last_outcome is not None:
        out.line(f"last       {view.last_outcome.text}")
    _nodes(out, view)
    _chains(out, view)
    for one in view.transfers:
        source, target = one.from_chain or "nobody", one.to_chain or "nobody"
        out.line(f"{ago(one.at)}: {_ways(one.ways)} from {source} to {target}: {one.reason}")


def _nodes(out: Printer, view: NumasfpHost) -> None:
    given = {node.node: [chain.llc_ways for chain in view.chains if chain.node == node.node] for node in view.nodes}
    out.table(
        ("NODE>", "CORES>", "WAYS GIVEN>", "WAYS>"),
        (
            (str(node.node), str(node.cores), _sum_text(given[node.node]), str(node.ways))
            for node in sorted(view.nodes, key=lambda node: node.node)
        ),
        empty="no nodes",
    )


def _chains(out: Printer, view: NumasfpHost) -> None:
    out.table(
        ("CHAIN", "NODE", "BELOW 99 %>", "OFFERED Gbps>", "FORECAST>", "CARRIED>", "WAYS>", "MB %>", "BOUNDS", "AGENT"),
        (
            (
                chain.chain,
                _place(chain),
                f"{chain.violations} s",
                gbps(chain.rate_gbps),
                gbps(chain.forecast_gbps),
                gbps(chain.carried_gbps),
                _or_none(chain.llc_ways),
                _or_none(chain.memory_bandwidth_percent),
                bounds_text(chain),
                _agent(chain),
            )
            for chain in view.chains
        ),
        empty="no chains",
    )


def bounds_text(chain: NumasfpChain) -> str:
    """'2 to 8 ways, 10 to 90 %'; '-' where no agent sets them by itself."""
    if chain.bounds is None:
        return NONE
    bounds = chain.bounds
    return f"{_range(bounds.least_ways, bounds.most_ways)} ways, {_range(bounds.least_percent, bounds.most_percent)} %"


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _place(chain: NumasfpChain) -> str:
    if chain.node is None:
        return "several"
    return f"{chain.node}" if chain.local is None else f"{chain.node} {'local' if chain.local else 'remote'}"


def _agent(chain: NumasfpChain) -> str:
    state = chain.control.value if chain.control else ""
    return ": ".join(part for part in (state, chain.note or "") if part) or NONE


def _gain_text(view: NumasfpHost) -> str:
    if view.gain_gbps is None or view.margin_gbps is None:
        return "not calculated yet"
    # once it is recommended nothing is counted on
    held = "" if view.recommendation_id is not None else f"; for {view.held_intervals} of {view.hold_intervals} s"
    return f"{view.gain_gbps:.2f} Gbps, at least {view.margin_gbps:.2f} needed{held}"


def _table_text(view: NumasfpHost) -> str:
    if view.table is None:
        return "none promoted for its host model: levels of its NF types are measured and promoted first"
    return f"version {view.table.version} of {', '.join(view.table.nf_types)}, {view.table.provenance.value}"


def _sum_text(values: list[int | None]) -> str:
    known = [value for value in values if value is not None]
    return str(sum(known)) if known else NONE


def _or_none(value: int | None) -> str:
    return NONE if value is None else str(value)


def _ways(count: int) -> str:
    return "1 way" if count == 1 else f"{count} ways"
