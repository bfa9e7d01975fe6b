"""How long each hop of a chain had its packets, as these measured it on their way, and by which links they went."""

from collections.abc import Sequence

from sextant_domain.console.history import PastHop
from sextant_domain.console.views import ChainView
from sextant_domain.hosts.chain_way import WayState
from sextant_domain.hosts.telemetry import PathHop, Transit

from sextant_cli.figures import ago, micros
from sextant_cli.output import Printer
from sextant_cli.show_parts import stale


def show_path(out: Printer, chains: Sequence[ChainView]) -> None:
    """A row a hop, in the order in which packets pass; nothing where they measure nothing. `chains`: one, or all parts
    of one."""
    samples = [(chain.sample, stale(chain)) for chain in chains if chain.sample is not None]
    _table(out, [(hop, is_stale) for sample, is_stale in samples for hop in sample.path or ()])
    _show_transits(out, [one for sample, is_stale in samples if not is_stale for one in sample.transits])


def _show_transits(out: Printer, transits: Sequence[Transit]) -> None:
    """A row a way from hop to hop, as the packets say where they leave."""
    rows = [
        (
            one.to or "out of the chain",
            "clocks apart: NF latencies only" if one.p50_us is None else micros(one.p50_us),
            micros(one.p95_us),
        )
        for one in transits
    ]
    if rows:
        out.table(("WAY TO", "MEDIAN>", "p95>"), rows, empty="")


def show_path_then(out: Printer, hops: Sequence[PastHop]) -> None:
    """The same of a moment of the past."""
    _table(out, [(hop, False) for hop in hops])


def _table(out: Printer, hops: Sequence[tuple[PathHop | PastHop, bool]]) -> None:
    """Beside a hop is whether its figures are old."""
    if not hops:
        return
    path = [hop for hop, is_stale in hops if not is_stale]
    slowest = max((hop.p95_us for hop in path if hop.p95_us is not None), default=None)
    rows = [
        (
            hop.nf_id or hop.device,
            f"{hop.device} (stale)" if is_stale else hop.device,
            micros(hop.latency_us),
            f"{micros(hop.p95_us)}{' slowest' if _is(hop.p95_us, slowest) and not is_stale else ''}",
            micros(hop.most_us),
            micros(hop.waits_us),
            "-" if hop.queue_packets is None else str(hop.queue_packets),
        )
        for hop, is_stale in hops
    ]
    heads = ("HOP", "ON", "MEDIAN IN IT>", "p95 IN IT>", "SLOWEST PACKET>", "NOT GIVEN BACK FOR>", "QUEUE AFTER IT>")
    out.table(heads, rows, empty="")


def show_ways(out: Printer, chains: Sequence[ChainView]) -> None:
    """A row a way to another host: by which link packets go there now, since when, and why. Nothing of a chain that is
    all on one host."""
    rows = [
        (
            f"{chain.spec.ingress.host or '-'}{' (stale)' if stale(chain) else ''}",
            way.to or "its end",
            way.link or "-",
            ", ".join(way.links),
            "CUT" if way.state is WayState.CUT else way.state.value,
            "-" if way.since is None else ago(way.since),
            way.why or "-",
        )
        for chain in chains
        if chain.sample is not None
        for way in chain.sample.ways
    ]
    if rows:
        out.table(("FROM", "TO", "BY", "OF LINKS", "STATE", "SINCE", "WHY"), rows, empty="")


def _is(found: float | None, slowest: float | None) -> bool:
    return found is not None and found == slowest
