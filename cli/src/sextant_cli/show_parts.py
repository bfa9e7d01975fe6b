"""The parts of a chain over several hosts: what comes to each and goes on, and all of them together."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sextant_domain.chains.part import Part
from sextant_domain.console.views import ChainView

from sextant_cli.client import path_of
from sextant_cli.figures import micros, mpps
from sextant_cli.output import Printer
from sextant_cli.session import Session, read_all

STALE_S = 3.0
Member = tuple[ChainView, Part]


def parts_of(session: Session, of: str) -> list[Member]:
    """All chains that are parts of that chain, in the order in which packets pass."""
    found = read_all(ChainView, session.api.pages(path_of("chains"), {"part_of": of}))
    members = [(chain, part) for chain in found if (part := chain.spec.part) is not None]
    return sorted(members, key=lambda member: member[1].number)


def show_parts(out: Printer, members: Sequence[Member]) -> None:
    """A row a part, and one of the whole way: what entered, what left, and how long that took."""
    rows = [(f"{part.number} of {part.count}", *_row(chain)) for chain, part in members]
    entered, left = (chain.sample for chain in (members[0][0], members[-1][0]))
    lost = None
    if entered is not None and left is not None:
        filtered = sum(chain.sample.filtered_mpps for chain, _ in members if chain.sample is not None)
        lost = max(0.0, entered.offered_mpps - left.delivered_mpps - filtered)
    whole = (
        "",
        "whole way",
        "",
        mpps(None if entered is None else entered.offered_mpps),
        mpps(None if left is None else left.delivered_mpps),
        mpps(lost),
        micros(None if left is None else left.p50_us),
        micros(None if left is None else left.p95_us),
    )
    out.table(
        ("PART>", "CHAIN", "HOST", "CAME Mpps>", "WENT ON Mpps>", "LOST Mpps>", "p50>", "p95>"),
        [*rows, whole],
        empty="",
    )


def stale(chain: ChainView) -> bool:
    """Whether its host has said nothing for longer than three seconds."""
    return chain.sampled_at is not None and datetime.now(UTC) - chain.sampled_at > timedelta(seconds=STALE_S)


def _row(chain: ChainView) -> tuple[str, ...]:
    sample = chain.sample
    host = chain.spec.ingress.host or ""
    return (
        chain.spec.name,
        f"{host} (stale)" if stale(chain) else host,
        mpps(None if sample is None else sample.offered_mpps),
        mpps(None if sample is None else sample.delivered_mpps),
        mpps(None if sample is None else sample.drop_mpps),
        "",
        "",
    )
