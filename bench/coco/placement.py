"""CoCo's Fig. 7 and Table I with drawn flows: delayed bytes and failures of exact, greedy and random placement."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import page
from drawing import SETTINGS, flow_set
from sextant_engine import native

ALGORITHMS = ("exact", "greedy", "random")
TOPOLOGIES = ("1", "2")
NEAR = 0.25
"""Of the paper's ratio."""
_HALVINGS = 24

Answers = dict[str, list[dict[str, Any]]]


class Study:
    """All placements, made when the first table asks."""

    @cached_property
    def _found(self) -> dict[str, Answers]:
        return {topology: _answers(topology, _scale(topology)) for topology in TOPOLOGIES}

    def table(self) -> Iterator[str]:
        """Delayed bytes by those of the exact placement, over sets that all three place."""
        yield from page.head(
            "topology", "placement", "delayed bytes / exact", "paper", "within 25 %", "order as published"
        )
        for topology in TOPOLOGIES:
            sums = self._sums(topology)
            ordered = sums["exact"] < sums["greedy"] < sums["random"]
            for name in ("greedy", "random"):
                ratio, paper = sums[name] / sums["exact"], SETTINGS["paper"][topology][name]
                near = abs(ratio / paper - 1) <= NEAR
                told = ["passed" if near else "**failed**", "passed" if ordered else "**failed**"]
                yield page.line(topology, f"`{name}`", f"{ratio:.2f}", f"{paper:.2f}", *told)

    def _sums(self, topology: str) -> dict[str, float]:
        found = self._found[topology]
        sets = [one for one in zip(*(found[name] for name in ALGORITHMS), strict=True) if not any(map(_refused, one))]
        return {name: sum(one[index]["delayed_bytes"] for one in sets) for index, name in enumerate(ALGORITHMS)}

    def fails(self) -> Iterator[str]:
        """Sets without a placement, of 1000."""
        yield from page.head("topology", "placement", "fails of 1000", "paper", "order as published")
        for topology in TOPOLOGIES:
            count = {name: sum(map(_refused, self._found[topology][name])) for name in ALGORITHMS}
            ordered = count["exact"] < count["greedy"] < count["random"]
            for name, paper in zip(ALGORITHMS, SETTINGS["paper"][topology]["fails"], strict=True):
                per = 1000 * count[name] / SETTINGS["sets"]
                told = "passed" if ordered else "**failed**"
                yield page.line(topology, f"`{name}`", f"{per:.0f}", str(paper), told)


def _scale(topology: str) -> float:
    """Of rates, so that as many sets as the paper's CoCo failed have no placement."""
    low, high = 0.0, 2.0
    wanted = SETTINGS["topology"][topology]["fails"] * SETTINGS["sets"]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fails = sum(_refused(_place(topology, number, middle, "exact")) for number in range(SETTINGS["sets"]))
        low, high = (middle, high) if fails < wanted else (low, middle)
    return high


def _answers(topology: str, scale: float) -> Answers:
    numbers = range(SETTINGS["sets"])
    return {name: [_place(topology, number, scale, name) for number in numbers] for name in ALGORITHMS}


def _place(topology: str, number: int, scale: float, algorithm: str) -> dict[str, Any]:
    asked = {**flow_set(topology, number, scale), "algorithm": algorithm, "seed": number}
    answer: dict[str, Any] = json.loads(native.solve_law("coco", "place", json.dumps(asked)).result)
    return answer


def _refused(answer: dict[str, Any]) -> bool:
    return "refused" in answer
