"""A host in SRv6-INT's global loop, as text."""

from collections.abc import Iterator

from sextant_domain.laws.srv6_view import Srv6Chain, Srv6Host

from sextant_cli.figures import NONE, ago, mpps, share
from sextant_cli.output import Printer


def show_srv6_host(out: Printer, view: Srv6Host) -> None:
    """What it does and why, then chains lane by lane."""
    out.line(f"host       {view.host}, policy {view.mode.value}")
    if view.stopped:
        out.line(f"stopped    {view.stopped}", style="yellow")
    out.line(f"at present {view.reason}")
    measured = view.provenance.value if view.provenance else "not measured"
    out.line(f"evaluated  {ago(view.evaluated_at)}; figures {measured}")
    for chain in view.chains:
        if chain.recommended_lanes is not None:
            starts = ", ".join(f"{lane} on {host}" for lane, host in sorted(chain.recommended_hosts.items()))
            lanes = "one lane" if chain.recommended_lanes == 1 else f"{chain.recommended_lanes} lanes"
            out.line(f"lanes      {chain.chain} in {lanes}{f': {starts}' if starts else ''}")
        if chain.recommended_host is not None:
            out.line(f"move       {chain.chain} from {view.host} to {chain.recommended_host}")
    if view.recommendation_id is not None:
        out.line(f"open       recommendation {view.recommendation_id}; see sextant recommendations", style="cyan")
    out.table(
        ("CHAIN", "LANE", "HOST", "OFFERED Mpps>", "CARRIED Mpps>", "OF TOLERATED>", "NEEDS MORE", "STANDS"),
        (row for chain in view.chains for row in _rows(chain)),
        empty="no chains with quota bounds whose first lane runs here",
    )
    for chain in view.chains:
        for text in _about_capacity(chain):
            out.line(f"{chain.chain}: {text}")
    for name, why in sorted(view.unseen.items()):
        out.line(f"{name}: nothing is known, {why}", style="yellow")


def _rows(chain: Srv6Chain) -> Iterator[tuple[str, ...]]:
    """The chain with its first lane; then the others."""
    about = (chain.chain, _stands(chain))
    for lane in chain.lanes:
        figures = mpps(lane.offered_mpps), mpps(lane.carried_mpps), share(lane.worst)
        yield about[0], lane.chain, lane.host, *figures, lane.saturated or NONE, about[1]
        about = ("", "")


def _about_capacity(chain: Srv6Chain) -> Iterator[str]:
    """What a lane carries when it is full, and of which NFs nobody knows what they take of a core."""
    if chain.full_mpps is not None and chain.full_nf is not None:
        yield f"a full lane carried {mpps(chain.full_mpps)} Mpps, while its host had no more for {chain.full_nf}"
    if chain.uncounted and chain.need_cores is not None:
        nfs = ", ".join(chain.uncounted)
        yield f"a lane needs at least {chain.need_cores:.2g} cores: of {nfs} CPU time is not measured"


def _stands(chain: Srv6Chain) -> str:
    if chain.above_since is not None:
        return f"needs more since {ago(chain.above_since)}"
    if chain.surplus_since is not None:
        return f"one lane less would do since {ago(chain.surplus_since)}"
    return chain.why_not or "well"
