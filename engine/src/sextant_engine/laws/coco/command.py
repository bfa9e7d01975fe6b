"""`python -m sextant_engine coco VERB`: JSON on standard input, JSON on standard output."""

from sextant_engine.laws.coco import check, problem, push, share
from sextant_engine.laws.coco.solve import answer
from sextant_engine.laws.commands import LawCommand, Verb, read


def _checked(pair: check.Pair) -> check.Checked:
    return check.Checked(findings=check.check(pair.question, pair.answer))


_VERBS: dict[str, tuple[str, Verb]] = {
    "place": (
        "the core of each element, so that the fewest bytes are delayed",
        lambda raw, stop: answer("place", raw, stop),
    ),
    "push_aside": (
        "what goes aside where an element has grown",
        lambda raw, stop: push.pushed(read(problem.PushAside, raw), stop).model_dump_json(),
    ),
    "split": ("lanes for an element that is larger than a core", lambda raw, stop: answer("split", raw, stop)),
    "schedule": (
        "how a core is shared out in the next period",
        lambda raw, _: share.scheduled(read(problem.Schedule, raw)).model_dump_json(),
    ),
    "scale_out": (
        "the core that takes a replica",
        lambda raw, _: share.scaled_out(read(problem.ScaleOut, raw)).model_dump_json(),
    ),
    "check": (
        'what is wrong with {"question": of place, "answer": its answer}',
        lambda raw, _: _checked(read(check.Pair, raw)).model_dump_json(),
    ),
}

COMMAND = LawCommand(
    whose="CoCo's",
    verbs=_VERBS,
    asked=(problem.Place, problem.PushAside, problem.SplitAsked, problem.Schedule, problem.ScaleOut, check.Pair),
    told=(
        problem.Placed, problem.Refused, problem.Pushed, problem.SplitAnswer, problem.ScheduleAnswer,
        problem.ScaleOutAnswer, check.Checked,
    ),
    seconds="4,000,000 steps",
    evaluations="4,000,000",
)  # fmt: skip
