"""How long each hop of a chain had its packets, as these measured it on their way."""

from sextant_domain.console.views import ChainView

from sextant_cli.figures import micros
from sextant_cli.output import Printer


def show_path(out: Printer, chain: ChainView) -> None:
    """A row a hop, in the order in which packets pass; nothing where they measure nothing."""
    path = () if chain.sample is None else chain.sample.path or ()
    if not path:
        return
    slowest = max((hop.p95_us for hop in path if hop.p95_us is not None), default=None)
    rows = [
        (
            hop.nf_id or hop.device,
            hop.device,
            micros(hop.latency_us),
            f"{micros(hop.p95_us)}{' slowest' if hop.p95_us is not None and hop.p95_us == slowest else ''}",
            micros(hop.most_us),
            micros(hop.waits_us),
        )
        for hop in path
    ]
    out.table(("HOP", "ON", "MEDIAN IN IT>", "p95 IN IT>", "SLOWEST PACKET>", "NOT GIVEN BACK FOR>"), rows, empty="")
