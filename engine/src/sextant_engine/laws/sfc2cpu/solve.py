"""The core's answers."""

from sextant_engine import native
from sextant_engine.stop import Stop

LAW = "sfc2cpu"


def answer(verb: str, question: str | bytes, stop: Stop | None = None) -> str:
    """What a verb of the core answers, JSON to JSON. Raises BadEngineInput as the core does."""
    stop = stop or Stop()
    return native.solve_law(
        LAW, verb, question, seconds=stop.seconds, evaluations=stop.evaluations, progress=stop.progress
    ).result
