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
    """All chains that are lanes of that chain, by number."""
    found = read_all(ChainView, session.api.pages(path_of("chains"), {"lane_of": of}))
    members = [(chain, lane) for chain in found if (lane := chain.spec.traffic.lane) is not None]
    return sorted(members, key=lambda member: member[1].number)


def show_lanes(out: Printer, members: Sequence[Member]) -> None:
    """A row a lane, and one of all; a total only where every lane is measured."""
    samples = [chain.sample for chain, _ in members]
    measured = [sample for sample in samples if sample is not None]
    whole = len(measured) == len(members)
    rows = [
        (
            str(lane.number),
            chain.spec.name,
            f"{100 * lane.share:.3g} %",
            ", ".join(dict.fromkeys(nf.seat.host for nf in chain.placement)),
            mpps(chain.sample.offered_mpps if chain.sample else None),
            marked(mpps(chain.sample.delivered_mpps if chain.sample else None), chain),
            mpps(chain.sample.drop_mpps if chain.sample else None),
        )
        for chain, lane in members
    ]
    total = (
        mpps(sum(sample.offered_mpps for sample in measured) if whole else None),
        _of_all(mpps(sum(sample.delivered_mpps for sample in measured) if whole else None), members),
        mpps(sum(sample.drop_mpps for sample in measured) if whole else None),
    )
    out.table(
        ("LANE>", "CHAIN", "SHARE>", "HOSTS", "OFFERED Mpps>", "MEASURED Mpps>", "DROPS Mpps>"),
        [*rows, ("", "all lanes", "", "", *total)],
        empty="",
    )


def _of_all(figure: str, members: Sequence[Member]) -> str:
    """Marked as that of a lane is where one is not measured."""
    return next((marked(figure, chain) for chain, _ in members if chain.provenance != "measured"), figure)
