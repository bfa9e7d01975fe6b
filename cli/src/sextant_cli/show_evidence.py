"""How a plan was found, as text: what is proved, what the bound leaves open, what fewer moves would gain."""

from sextant_domain.plans.evidence import CandidateScore, Doubt, Evidence, HostEvidence, PlanProgress
from sextant_domain.plans.plan import PlanBody
from sextant_domain.plans.verdict import PREDICTOR_WORDS, proof_text, verdict_text

from sextant_cli.figures import mpps, or_none, share
from sextant_cli.output import Printer
from sextant_cli.show_assigned import show_assigned
from sextant_cli.show_compact import show_compact


def show_evidence(out: Printer, body: PlanBody) -> None:
    """The search, host by host where there are several, and the checks."""
    out.line(_search(body))
    _show_hosts(out, body.evidence)
    _show_frontier(out, body.evidence)
    for model in body.evidence.models:
        trust = "" if model.trust is None else f", {model.trust.value} ({model.trust_why})"
        figures = f"{model.version} on {model.host_model}: {model.provenance.value}{trust}"
        out.line(f"  model {model.nf_type} {figures}", style="dim")
    failed = [finding for finding in body.checks if not finding.ok]
    out.line(f"checks: {len(body.checks) - len(failed)} passed, {len(failed)} failed")
    for finding in failed:
        out.line(f"  {finding.check}: {finding.detail}", style="red")
    for warning in body.warnings:
        out.line(f"warning: {warning}", style="yellow")


def progress_text(progress: PlanProgress) -> str:
    """'solving 3 of 12, best score 80.1000, bound 81.2000'."""
    count = f" {progress.done} of {progress.total}" if progress.total else ""
    best = "" if progress.best is None else f", best score {mpps(progress.best)}"
    bound = "" if progress.bound is None else f", bound {mpps(progress.bound)}"
    return f"{progress.stage}{count}{best}{bound}"


def _search(body: PlanBody) -> str:
    evidence = body.evidence
    parts = [f"{_how(body)}: {proof_text(evidence.status, evidence.doubt, evidence.predictors)}"]
    if evidence.score is not None:
        parts.append(f"score {mpps(evidence.score)} value x Mpps")
    if evidence.bound is not None:
        parts.append(f"bound {mpps(evidence.bound)}")
    if evidence.gap is not None:
        parts.append(f"gap {share(evidence.gap)}")
    by_cores = any(host.chose_cores for host in evidence.hosts)
    evaluated = "searched" if by_cores else f"{evidence.evaluations} placements evaluated"
    parts.append(f"{evaluated} in {evidence.seconds:.3f} s")
    if evidence.exchanges:
        parts.append(f"{evidence.exchanges} exchanges between hosts")
    parts.append(f"seed {evidence.seed}")
    return ", ".join(parts) + (" (stopped by the time limit)" if evidence.stopped else "")


def _how(body: PlanBody) -> str:
    if body.evidence.algorithm:
        improved = any(host.improved for host in body.evidence.hosts)
        return f"found by {body.evidence.algorithm.value}{', then moves and swaps' if improved else ''}"
    if body.intent.kind in ("migrate", "remove", "adjust", "resources", "restore", "align"):
        return "as ordered"
    if body.intent.kind in ("relocate", "drain") and not body.changes:
        return "without a search"
    return "by free slots on shared cores, without an algorithm"


def _show_hosts(out: Printer, evidence: Evidence) -> None:
    if evidence.hosts:
        out.table(
            ("HOST", "ALGORITHM", "STATUS", "UNDER", "SCORE value x Mpps>", "BOUND>", "GAP>", "EVALUATED>"),
            (_host_row(host, evidence.doubt) for host in evidence.hosts),
            empty="",
        )
    for host in evidence.hosts:
        if host.candidates:
            by = PREDICTOR_WORDS[host.predictor]
            out.line(f"  compared on {host.host} by {by}: {', '.join(map(_candidate, host.candidates))}")
        if host.compact is not None:
            show_compact(out, host, host.compact)
        if host.assigned is not None:
            show_assigned(out, host, host.assigned)
        if host.unproven is not None:
            out.line(f"  not proved on {host.host}: {host.unproven}", style="dim")


def _algorithm(host: HostEvidence) -> str:
    if host.algorithm is None:
        return "by free slots"
    return f"{host.algorithm.value}, moves and swaps" if host.improved else host.algorithm.value


def _host_row(host: HostEvidence, plan: Doubt | None) -> tuple[str, ...]:
    """Plans of an earlier version say only of the whole that nothing was tested."""
    doubt = host.doubt or (plan if plan is Doubt.UNTESTED else None)
    gap = None if host.bound is None else max(0.0, host.bound - host.score) / max(abs(host.bound), 1e-12)
    return (
        host.host,
        _algorithm(host),
        verdict_text(host.status, doubt),
        host.predictor if host.trusted and host.algorithm else "-",
        mpps(host.score) if host.trusted else "shared cores",
        mpps(host.bound) if host.trusted else "-",
        share(gap) if host.trusted else "-",
        str(host.evaluations),
    )


def _candidate(one: CandidateScore) -> str:
    proved = " (optimal under Octans' equations)" if one.proved else ""
    return f"{one.algorithm.value} {mpps(one.score)}{proved}"


def _show_frontier(out: Printer, evidence: Evidence) -> None:
    if evidence.frontier:
        out.table(
            ("MOVES>", "GAIN value x Mpps>", "LESS COST OF MOVES>", "PROVED"),
            (
                (or_none(point.moves), mpps(point.gain_mpps), mpps(point.net_mpps), "yes" if point.proven else "no")
                for point in evidence.frontier
            ),
            empty="",
        )
