"""CPU quotas that a chain's host sets by itself, within bounds, by how long packets say that NFs had them."""

from sextant_domain.console.views import ChainView

from sextant_cli.figures import ago, micros
from sextant_cli.output import Printer

MOST_SHOWN = 10
"""Changes, the latest first."""


def show_quotas(out: Printer, chain: ChainView) -> None:
    """A row an NF, and one a change; nothing where no bounds are set."""
    bounds = chain.spec.quota_bounds
    if bounds is None:
        return
    out.line(
        f"quota bounds: {bounds.least_percent} to {bounds.most_percent} % of its core each, so that the p95 in it is "
        f"{micros(bounds.max_p95_us)} at most"
    )
    out.table(
        ("NF", "QUOTA>", "p95 IN IT>", "STATE", "NOTE"),
        (
            (
                nf.nf_id,
                "-" if nf.quota_percent is None else f"{nf.quota_percent:g} %",
                micros(nf.p95_us),
                nf.state.value,
                nf.note or "-",
            )
            for nf in chain.bounded_nfs
        ),
        empty="its host has not said yet what it gives its NFs",
    )
    if chain.quota_changes:
        out.table(
            ("CHANGED", "NF", "WHAT", "QUOTA>", "WHY", "TOOK>"),
            (
                (
                    ago(one.at),
                    one.nf_id,
                    one.reason.value,
                    f"{one.before_percent:g} -> {one.after_percent:g} %",
                    one.cause,
                    micros(one.took_us),
                )
                for one in reversed(chain.quota_changes[-MOST_SHOWN:])
            ),
            empty="",
        )
