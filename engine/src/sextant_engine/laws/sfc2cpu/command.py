"""`python -m sextant_engine assign VERB`: JSON on standard input, JSON on standard output."""

from sextant_engine.laws.commands import LawCommand, Verb, read
from sextant_engine.laws.sfc2cpu import check, platform, problem
from sextant_engine.laws.sfc2cpu.solve import answer


def _checked(pair: check.Pair) -> check.Checked:
    return check.Checked(findings=check.check(pair.question, pair.answer))


def _fitted(question: problem.Fit) -> problem.Fitted:
    from sextant_engine.laws.sfc2cpu.fit import fitted  # it loads NumPy and SciPy, which no other verb wants

    return fitted(question)


_VERBS: dict[str, tuple[str, Verb]] = {
    "solve": ("the core of each VNF, by an assigner", lambda raw, stop: answer("solve", raw, stop)),
    "evaluate": ("what an assignment serves, by the ideal model", lambda raw, stop: answer("evaluate", raw, stop)),
    "network": ("what the paper's network expects of each core", lambda raw, stop: answer("network", raw, stop)),
    "fit": (
        "what VNFs cost beside others, from placements that ran",
        lambda raw, _: _fitted(read(problem.Fit, raw)).model_dump_json(),
    ),
    "shares": (
        "how a core's time is shared out, by rate and cost",
        lambda raw, _: platform.shared(read(problem.Shares, raw)).model_dump_json(),
    ),
    "backpressure": (
        "when packets for a ring are dropped at the entry",
        lambda raw, _: platform.pressed(read(problem.Backpressure, raw)).model_dump_json(),
    ),
    "check": (
        'what is wrong with {"question": of solve, "answer": its answer}',
        lambda raw, _: _checked(read(check.Pair, raw)).model_dump_json(),
    ),
}

COMMAND = LawCommand(
    whose="sfc2cpu's",
    verbs=_VERBS,
    asked=(
        problem.Solve, problem.Evaluate, problem.Network, problem.Fit, problem.Shares, problem.Backpressure, check.Pair,
    ),
    told=(
        problem.Assigned, problem.Evaluated, problem.NetworkAnswer, problem.Fitted, problem.SharesAnswer,
        problem.BackpressureAnswer, check.Checked,
    ),
    seconds="by assigner, about a second",
    evaluations="by assigner",
)  # fmt: skip
