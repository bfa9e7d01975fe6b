"""Why each NF that the plan seats stands where it does: what the next best node would cost."""

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.reports import HostReport, NfReport

DIGITS = 2
"""Of the score (value x Mpps), behind the point: what a person reads."""


def tell_alternatives(draft: PlanDraft, reports: dict[str, HostReport]) -> None:
    """Add to the reasons of newcomers and moved NFs."""
    for name, report in reports.items():
        for chain, found in report.chains.items():
            for nf, nf_found in zip(draft.hosts[name].chains[chain].nfs, found.nfs, strict=True):
                if nf.nf_id in draft.reasons:
                    draft.reasons[nf.nf_id] += _words(nf_found)


def _words(found: NfReport) -> str:
    if not found.alternatives:
        return ""
    best = max(found.alternatives, key=lambda other: other.score_delta)
    lost = round(-best.score_delta, DIGITS)
    if lost > 0:
        return f"; on node {best.node} the score would be {lost:.{DIGITS}f} lower"
    if lost < 0:
        return f"; on node {best.node} alone the score would be {-lost:.{DIGITS}f} higher"
    return f"; node {best.node} would be as good"
