"""The tables of docs/engine.md: each yields Markdown lines as soon as they are measured."""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from cases import ANYTIME, BRUTE_AT_MOST, EXACT, FIGURE_9, MODES, REFERENCE_SECONDS, CpuGoal, Size
from page import head, line
from running import Run, ours, peer
from sextant_engine import native

PEER_SECONDS = 20.0
PEER_PROBLEMS = 3
LITERAL_SECONDS = 5.0
LITERAL_PROBLEMS = 5


def exact(seeds: int, peers: Path | None) -> Iterator[str]:
    """Proving the optimum, against peers where there are any."""
    yield from head(
        "chains x nodes",
        "mode",
        "exact: median, max ms",
        "goal",
        "proven",
        "Algorithm 1 with memo, literal: ms",
        "optimal",
        "gap: mean, max",
        "peers: CPU s (proved)",
        "faster than CP-SAT",
        "peak MiB exact, CP-SAT, HiGHS",
    )
    for size, goal in EXACT:
        for mode in MODES:
            yield _exact_row(size, goal, mode, seeds, peers)


def _exact_row(size: Size, goal: CpuGoal, mode: str, seeds: int, peers: Path | None) -> str:
    recipes = size.recipes(mode, seeds)
    best = ours(recipes, "exact")
    small = size.chains * size.nodes <= 24
    heuristic = ours(recipes, "octans", {"memo": True}) if small else None
    literal = ours(recipes[:LITERAL_PROBLEMS], "octans", {"memo": False}, LITERAL_SECONDS) if small else None
    peer_times, faster, memory = "", "", f"{best.rss_mib:.0f}"
    if peers is not None:
        count = PEER_PROBLEMS if size.chains == 6 else 1  # beyond, the peers seldom end within their limit
        problems = [native.generate(**recipe) for recipe in recipes[:count]]
        cpsat, highs = (peer(name, problems, PEER_SECONDS, peers) for name in ("cpsat", "highs"))
        _agree(best, cpsat, highs)
        ratio = cpsat.median_ms / best.median_ms
        faster = f"{'' if cpsat.proven == count else '> '}{ratio:,.0f} x"
        peer_times = "; ".join(
            f"{name} {run.median_ms / 1e3:.2f} ({run.proven} of {count})"
            for name, run in (("CP-SAT", cpsat), ("HiGHS", highs))
        )
        memory += f", {cpsat.rss_mib:.0f}, {highs.rss_mib:.0f}"
    return line(
        size.name,
        mode,
        f"{best.median_ms:.3f}, {best.most_ms:.2f}",
        _goal(best, goal, mode),
        f"{best.proven} of {seeds}",
        _pair(heuristic, literal),
        _optimal(heuristic, best),
        _gaps(heuristic, best),
        peer_times,
        faster,
        memory,
    )


def _goal(run: Run, goal: CpuGoal, mode: str) -> str:
    limits = [(run.median_ms, goal.median[mode])]
    if mode in goal.most:
        limits.append((run.most_ms, goal.most[mode]))
    met = all(value <= limit for value, limit in limits)
    return f"{', '.join(f'{limit:g}' for _, limit in limits)}: {'met' if met else 'missed'}"


def _pair(heuristic: Run | None, literal: Run | None) -> str:
    if heuristic is None or literal is None:
        return "-"
    return f"{heuristic.median_ms:.3f}, {_literal_ms(literal.median_ms)}"


def _literal_ms(milliseconds: float) -> str:
    """Without its memo Algorithm 1 visits the same placement again for every order of moves."""
    limit = LITERAL_SECONDS * 1e3
    return f"> {limit:.0f}" if milliseconds >= 0.9 * limit else f"{milliseconds:.3f}"


def _optimal(heuristic: Run | None, best: Run) -> str:
    if heuristic is None:
        return "-"
    hits = sum(one["score"] >= two["score"] - 1e-9 for one, two in zip(heuristic.answers, best.answers, strict=True))
    return f"{hits / len(best.answers):.0%}"


def _gaps(heuristic: Run | None, best: Run) -> str:
    if heuristic is None:
        return "-"
    gaps = [1 - one["score"] / two["score"] for one, two in zip(heuristic.answers, best.answers, strict=True)]
    return f"{mean(gaps):.2%}, {max(gaps):.2%}"


def _agree(best: Run, *peers: Run) -> None:
    """A peer that proves another optimum means that one of us is wrong: no table then."""
    for run in peers:
        for mine, theirs in zip(best.answers, run.answers, strict=False):
            if theirs["proven"] and mine["proven"] and abs(theirs["score"] - mine["score"]) > 1e-4 * mine["score"]:
                raise SystemExit(f"a peer proves {theirs['score']}, exact {mine['score']}")


def figure_9(seeds: int) -> Iterator[str]:
    """The paper's search times: mean CPU milliseconds, mode A."""
    yield from head(
        "chains x nodes", "NFs", "Algorithm 1 literal", "with memo", "brute force", "exact", "Algorithm 1 optimal"
    )
    for size in FIGURE_9:
        recipes = size.recipes("A", seeds)
        best, memo = ours(recipes, "exact"), ours(recipes, "octans", {"memo": True})
        literal = ours(recipes[:LITERAL_PROBLEMS], "octans", {"memo": False}, LITERAL_SECONDS)
        placements = (size.nodes**size.length + 1) ** size.chains
        some = recipes[:PEER_PROBLEMS]
        brute = f"{mean(ours(some, 'brute', seconds=120.0).cpu_ms):.2f}" if placements <= BRUTE_AT_MOST else "-"
        yield line(
            size.name,
            str(size.chains * size.length),
            _literal_ms(mean(literal.cpu_ms)),
            f"{mean(memo.cpu_ms):.3f}",
            brute,
            f"{mean(best.cpu_ms):.3f}",
            _optimal(memo, best),
        )


def anytime(seeds: int) -> Iterator[str]:
    """Score against a long reference run, and the certified gap."""
    below_head = f"below the {REFERENCE_SECONDS:g}-s reference: median, max"
    yield from head(
        "chains x nodes", "mode", "time", below_head, "goal", "certified gap: median, max", "goal", "peak MiB"
    )
    for large in ANYTIME:
        recipes = large.size.recipes(large.mode, seeds)
        run = ours(recipes, "anytime", seconds=large.seconds)
        below, met_below = "-", ""
        if large.to_reference is not None:
            reference = ours(recipes, "anytime", seconds=REFERENCE_SECONDS)
            gaps = sorted(
                max(0.0, 1 - one["score"] / two["score"])
                for one, two in zip(run.answers, reference.answers, strict=True)
            )
            below = f"{gaps[len(gaps) // 2]:.3%}, {gaps[-1]:.3%}"
            met_below = f"{large.to_reference:.1%}: {'met' if gaps[len(gaps) // 2] <= large.to_reference else 'missed'}"
        certified = sorted(one["bound"] / one["score"] - 1 for one in run.answers)
        middle = certified[len(certified) // 2]
        met_gap = f"{large.gap:.1%}: {'met' if middle <= large.gap else 'missed'}" if large.gap is not None else "-"
        yield (
            f"| {large.size.name} | {large.mode} | {large.seconds:g} s | {below} | {met_below or '-'} "
            f"| {middle:.2%}, {certified[-1]:.2%} | {met_gap} | {run.rss_mib:.0f} |"
        )
