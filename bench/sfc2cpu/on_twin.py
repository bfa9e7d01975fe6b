"""The bench's instances on the digital twin of sfc2cpu's machine (`sextant_lab.school.on_twin`)."""

import random
from collections.abc import Sequence

from drawing import SETTINGS, drawing
from sextant_lab.school import on_twin
from sextant_lab.school.on_twin import Question, Ran, TwinTraffic


class TwinMachine(on_twin.TwinMachine):
    """As the settings have it."""

    def __init__(self) -> None:
        given = SETTINGS["twin"]
        traffic = TwinTraffic(given["frame_bytes"], given["flows"], given["ring_packets"])
        super().__init__(given["machine"], given["kinds"], traffic)

    def question(self, cores: int, number: int, kinds: Sequence[str], system_pps: float | None = None) -> Question:
        """An instance as the paper draws them, its VNFs of these kinds."""
        return self.numbered(drawing(system_pps), SETTINGS["seed"], cores, number, kinds)


def best_found(dice: random.Random, twin: TwinMachine, asked: Question, starts: Sequence[Sequence[int]]) -> Ran:
    """Uphill on the twin from the best start, by moves and exchanges, for so many evaluations."""
    at = list(starts[0])
    best = twin.run(asked, at)
    for start in starts[1:]:
        found = twin.run(asked, start)
        if found.beats(best):
            best, at = found, list(start)
    for _ in range(SETTINGS["twin"]["evaluations"] - len(starts)):
        other = list(at)
        one, two = dice.randrange(len(at)), dice.randrange(len(at))
        if dice.random() < 0.5:
            other[one], other[two] = other[two], other[one]
        else:
            other[one] = dice.randrange(len(asked["cores"]))
        if other == at:
            continue
        found = twin.run(asked, other)
        if found.beats(best):
            best, at = found, other
    return best
