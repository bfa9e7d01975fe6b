"""CPU quotas, LLC ways and memory bandwidth that a chain's host sets by itself, within bounds, by how long packets say
that NFs had them."""

from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.console.views import ChainView
from sextant_domain.hosts.bounded_quotas import BoundedNf, BoundedResource, QuotaChange

from sextant_cli.figures import ago, micros
from sextant_cli.output import Printer

MOST_SHOWN = 10
"""Changes, the latest first."""
RESOURCES = {
    BoundedResource.CPU_QUOTA: "CPU quota",
    BoundedResource.LLC_WAYS: "LLC ways",
    BoundedResource.MEMORY_BANDWIDTH: "memory bandwidth",
}


def show_quotas(out: Printer, chain: ChainView) -> None:
    """A row an NF, and one a change; nothing where no bounds are set."""
    bounds = chain.spec.quota_bounds
    if bounds is None:
        return
    out.line(
        f"quota bounds: {bounds.least_percent} to {bounds.most_percent} % of its core each, so that the p95 in it is "
        f"{micros(bounds.max_p95_us)} at most{_of_memory(bounds)}"
    )
    out.table(
        ("NF", "QUOTA>", "LLC WAYS>", "BANDWIDTH>", "p95 IN IT>", "STATE", "NOTE"),
        (
            (
                nf.nf_id,
                "-" if nf.quota_percent is None else f"{nf.quota_percent:g} %",
                "-" if bounds.most_ways is None else _ways(nf.llc_ways),
                "-" if bounds.least_bandwidth_percent is None else f"{nf.memory_bandwidth_percent or 100} %",
                micros(nf.p95_us),
                nf.state.value,
                _note(nf),
            )
            for nf in chain.bounded_nfs
        ),
        empty="its host has not said yet what it gives its NFs",
    )
    if chain.quota_changes:
        out.table(
            ("CHANGED", "NF", "WHAT", "OF", "BEFORE -> AFTER>", "WHY", "TOOK>"),
            (
                (
                    ago(one.at),
                    one.nf_id,
                    one.reason.value,
                    RESOURCES[one.resource],
                    _before_and_after(one),
                    one.cause,
                    micros(one.took_us),
                )
                for one in reversed(chain.quota_changes[-MOST_SHOWN:])
            ),
            empty="",
        )


def _of_memory(bounds: QuotaBounds) -> str:
    ways = "" if bounds.most_ways is None else f"; {bounds.least_ways} to {bounds.most_ways} LLC ways of its own"
    percent = bounds.least_bandwidth_percent
    return ways + ("" if percent is None else f"; {percent} % of the memory bandwidth at least")


def _note(nf: BoundedNf) -> str:
    return "; ".join(text for text in (nf.note, nf.not_given) if text is not None) or "-"


def _ways(ways: int | None) -> str:
    return str(ways) if ways else "shared"


def _before_and_after(change: QuotaChange) -> str:
    if change.resource is BoundedResource.LLC_WAYS:
        return f"{_ways(change.before_ways)} -> {_ways(change.after_ways)}"
    return f"{change.before_percent:g} -> {change.after_percent:g} %"
