"""`python -m sextant_engine numasfp VERB`: JSON on standard input, JSON on standard output."""

from sextant_engine.laws.commands import LawCommand, Verb
from sextant_engine.laws.numasfp import check, problem, profile, run
from sextant_engine.laws.numasfp.solve import answer

_VERBS: dict[str, tuple[str, Verb]] = {
    "allocate": ("what a chain needs for a rate", lambda raw, stop: answer("allocate", raw, stop)),
    "run": ("what an algorithm makes of rates, interval after interval", run.run),
    "step": ("the exact optimum of one interval", lambda raw, stop: answer("step", raw, stop)),
    "interval": ("one interval of an algorithm, with its memory", lambda raw, stop: answer("interval", raw, stop)),
    "profile": ("a look-up table, by few measurements of a program", lambda raw, _: profile.profile(raw)),
    "check": ('what is wrong with {"question": a step, "answer": its answer}', lambda raw, _: check.checked(raw)),
}

COMMAND = LawCommand(
    whose="NUMASFP's",
    verbs=_VERBS,
    asked=(problem.Allocate, problem.Run, problem.StepAsked, profile.Profile),
    told=(
        problem.Need, problem.Refused, problem.RunAnswer, problem.StepAnswer, profile.Profiled, check.Checked,
    ),
)  # fmt: skip
