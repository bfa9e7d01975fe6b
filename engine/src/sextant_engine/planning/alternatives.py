"""Why each NF that the plan seats stands where it does: what the next best node would cost."""

from sextant_engine.planning.chosen import by_another
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.reports import HostReport, NfReport

DIGITS = 2
"""Of the score (value x Mpps), behind the point: what a person reads."""


def report_alternatives(draft: PlanDraft, reports: dict[str, HostReport]) -> None:
    """Add to the reasons of newcomers and moved NFs."""
    chosen = by_another(draft)
    for name, report in reports.items():
        by = " by Octans' equations" if name in chosen else ""
        for chain, found in report.chains.items():
            for nf, nf_found in zip(draft.hosts[name].chains[chain].nfs, found.nfs, strict=True):
                if nf.nf_id in draft.reasons:
                    draft.reasons[nf.nf_id] += _words(nf_found, by)


def _words(found: NfReport, by: str) -> str:
    """`by`: whose figures they are, where another predictor chose."""
    if not found.alternatives:
        return ""
    best = max(found.alternatives, key=lambda other: other.score_delta)
    lost = round(-best.score_delta, DIGITS)
    if lost > 0:
        return f"; on node {best.node} the score would be {lost:.{DIGITS}f} lower{by}"
    if lost < 0:
        return f"; on node {best.node} alone the score would be {-lost:.{DIGITS}f} higher{by}"
    return f"; node {best.node} would be as good{by}"
