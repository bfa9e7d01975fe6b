"""The lanes of a chain, what each carries, and all of them together."""

from collections.abc import Sequence

from sextant_domain.chains.lane import Lane
from sextant_domain.console.views import ChainView

from sextant_cli.client import path_of
from sextant_cli.figures import marked, mpps
from sextant_cli.output import Printer
from sextant_cli.session import Session, read_all

Member = tuple[ChainView, Lane]


def lanes_of(session: Session, of: str) -> list[Member]:
    """All chains that are lanes of that chain, by number; of one over several hosts every part."""
    found = read_all(ChainView, session.api.pages(path_of("chains"), {"lane_of": of}))
    members = [(chain, lane) for chain in found if (lane := chain.spec.traffic.lane) is not None]
    return sorted(members, key=lambda member: (member[1].number, _part(member[0])))


def _part(chain: ChainView) -> int:
    return 1 if chain.spec.part is None else chain.spec.part.number


def show_lanes(out: Printer, members: Sequence[Member]) -> None:
    """A row a lane, and one of all; a total only where every lane is measured."""
    lanes = _with_parts(members)
    rows = [
        (
            str(lane.number),
            parts[0].spec.name,
            f"{100 * lane.share:.3g} %",
            ", ".join(dict.fromkeys(nf.seat.host for chain in parts for nf in chain.placement)),
            mpps(offered),
            marked(mpps(delivered), parts[-1]),
            mpps(dropped),
        )
        for (lane, parts), (offered, delivered, dropped) in ((one, _figures(one[1])) for one in lanes)
    ]
    offered, delivered, dropped = (_sum(figures) for figures in zip(*(_figures(one) for _, one in lanes), strict=True))
    total = (mpps(offered), _of_all(mpps(delivered), members), mpps(dropped))
    out.table(
        ("LANE>", "CHAIN", "SHARE>", "HOSTS", "OFFERED Mpps>", "MEASURED Mpps>", "DROPS Mpps>"),
        [*rows, ("", "all lanes", "", "", *total)],
        empty="",
    )


def _with_parts(members: Sequence[Member]) -> list[tuple[Lane, list[ChainView]]]:
    """By lane its chain, or, in order, the parts of that which passes several hosts."""
    found: list[tuple[Lane, list[ChainView]]] = []
    for chain, lane in members:
        if _part(chain) > 1 and found:
            found[-1][1].append(chain)
        else:
            found.append((lane, [chain]))
    return found


def _figures(parts: Sequence[ChainView]) -> tuple[float | None, float | None, float | None]:
    """What enters with the first part, what leaves with the last, and what all drop."""
    entered, left = parts[0].sample, parts[-1].sample
    dropped = _sum([None if chain.sample is None else chain.sample.drop_mpps for chain in parts])
    return None if entered is None else entered.offered_mpps, None if left is None else left.delivered_mpps, dropped


def _sum(figures: Sequence[float | None]) -> float | None:
    """Nobody knows it where one is not measured."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None


def _of_all(figure: str, members: Sequence[Member]) -> str:
    """Marked as that of a lane is where one is not measured."""
    return next((marked(figure, chain) for chain, _ in members if chain.provenance != "measured"), figure)
