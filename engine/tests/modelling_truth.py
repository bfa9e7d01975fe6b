"""A made-up machine whose truth is known, to profile in tests: drops saturate with the sum of what presses.

    drop = most (1 - exp(-pressure / ease)),  pressure = sum of near g(r) + share of the subject x sum of far g(r)
    g(r) = 1.2 r / (r + 0.2) at a part r of the ideal rate; a neighbour in the chain takes points of its own

in no form that a predictor has: neither linear, nor piecewise, nor a power.
"""

import math
import random
from dataclasses import dataclass

from engine_profiles import NF_TYPES, host
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling.handing import neighbours_of
from sextant_engine.modelling.predictor import Profiles, Sample
from sextant_engine.modelling.pressures import role_of
from sextant_engine.modelling.rates import pressing_on
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import design

IDEALS = {name: LocalRemote(local=10.0, remote=8.0) for name in NF_TYPES}
HANDING = {
    (True, False, True): -0.05,
    (True, True, True): 0.03,
    (True, True, False): 0.2,
    (False, False, False): 0.02,
    (False, True, True): -0.1,
    (False, True, False): 0.01,
}
"""Points by kind of neighbour, as `neighbours_of` has them."""


@dataclass(frozen=True)
class Truth:
    """Everything by NF type; made from a seed."""

    near: dict[str, float]
    far: dict[str, float]
    most: dict[tuple[str, str], float]
    ease: dict[str, float]
    share: dict[str, float]
    """What far pressure counts for a subject."""
    base: dict[str, float]
    """Drop without company, by role: 0 where it is by definition."""

    @classmethod
    def of(cls, seed: int, types: tuple[str, ...]) -> "Truth":
        chance = random.Random(seed)
        bubbles = [f"bubble {size} KiB" for size in (1024, 4096, 16384)]
        everyone = [*types, *bubbles]
        near = {name: chance.uniform(0.1, 2.0) for name in everyone}
        roles = {"local": 0.35, "crossing": 0.2, "head": 0.25, "behind": 0.3}
        return cls(
            near=near,
            far={name: near[name] * chance.uniform(0.2, 0.6) for name in everyone},
            most={(name, role): top * chance.uniform(0.3, 1.2) for name in everyone for role, top in roles.items()},
            ease={name: chance.uniform(2.0, 6.0) for name in everyone},
            share={name: chance.uniform(0.3, 1.7) for name in everyone},
            base={"local": 0.0, "crossing": 0.06, "head": 0.0, "behind": -0.04},
        )

    def drop(self, setting: PointSetting) -> float:
        """Of the subject."""
        name, role = setting.subject.nf_type, role_of(setting).value
        pressure = sum(
            1.2 * rate / (rate + 0.2) * (self.near[other] if near else self.share[name] * self.far[other])
            for other, near, rate in pressing_on(setting, IDEALS)
        )
        beside = self.base[role] + self.most[name, role] * (1 - math.exp(-pressure / self.ease[name]))
        handing = sum(1 / (1 - HANDING[one]) - 1 for one in neighbours_of(setting))
        return 1 - 1 / (1 / (1 - beside) + handing)


def profiled(seed: int, types: tuple[str, ...], noise: float = 0.005) -> tuple[Profiles, Truth]:
    """Every type profiled by the design on a host like Octans' testbed; noise is the error of a drop."""
    inventory = host(profiling_chains=True)
    truth, chance = Truth.of(seed, tuple(NF_TYPES)), random.Random(seed)
    samples: dict[str, list[Sample]] = {}
    number = 0
    for name in types:
        made = design(ProfilingAsk(nf_type=name, host="big-1"), inventory, free_cores(inventory), NF_TYPES)
        for point in made.points:
            if point.purpose is not PointPurpose.IDEAL:
                number += 1
                if point.others and point.rate_mpps is None:
                    point = point.model_copy(update={"rate_mpps": 14.88})  # noqa: PLW2901 - as in its record
                one = sampled(number, point, truth.drop(point) + chance.gauss(0, noise), noise)
                samples.setdefault(point.subject.nf_type, []).append(one)
    counts = {name: {"cycles": 200.0, "llc-references": 2 * truth.near[name]} for name in NF_TYPES}
    found = {name: tuple(of_type) for name, of_type in samples.items()}
    return Profiles("big-2x12", 2, found, IDEALS, counts, dict.fromkeys(NF_TYPES, 1)), truth


def sampled(point_id: int, point: PointSetting, drop: float, error: float = 0.005) -> Sample:
    """A sample of an NF whose ideal is 10 Mpps locally and 8 elsewhere."""
    ideal = 10.0 if point.local else 8.0
    return Sample(point_id, point, ideal * (1 - drop), ideal * error, drop, error, {"cycles": 200.0})
