"""A fitted cost in games: what VNFs ask for beside others, by kind, in the place of the ideal model, in which nobody
hurts anybody. Loads are those of the engine (`engine/core/src/laws/sfc2cpu/inflation.rs`), for many games at once; what
cores serve of them the engine says itself.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError
from sextant_domain.base import digest_of
from sextant_domain.profiling.inflation import InflationModel
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Fitted
from sextant_engine.laws.sfc2cpu.solve import answer

Loads = NDArray[np.float64]
Cores = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cost:
    """What VNFs cost beside others, and which cores are near."""

    model: InflationModel
    socket_cores: int | None = None
    """Cores of a socket, one socket after another; None: all are of one."""

    def facts(self) -> dict[str, Any]:
        """Which cost it is, for the record of a training."""
        return {"model": digest_of(self.model), "socket_cores": self.socket_cores}

    def sockets(self, cores: int) -> Cores:
        """By core."""
        return np.arange(cores) // (self.socket_cores or cores)

    def with_kinds(self, instance: Mapping[str, Any], dice: random.Random) -> dict[str, Any]:
        """A drawn instance whose VNFs are of kinds that were fitted, each as likely."""
        return {**instance, "vnfs": [{**vnf, "kind": dice.choice(self.model.kinds)} for vnf in instance["vnfs"]]}


def read_cost(raw: str | bytes) -> InflationModel:
    """What the verb `fit` answers. Raises BadEngineInput by field, for what the engine refuses, too."""
    try:
        model = Fitted.model_validate_json(raw).model
    except ValidationError as error:
        first = error.errors()[0]
        raise BadEngineInput(".".join(map(str, first["loc"])) or "document", first["msg"]) from error
    return checked(model)


def checked(model: InflationModel) -> InflationModel:
    """That the engine takes. Raises BadEngineInput by field."""
    if not model.kinds:
        raise BadEngineInput("model.kinds", "are none: nothing says what VNFs of games cost beside each other")
    asked = {"vnfs": [{"cycles": 1.0, "rate_pps": 1.0}], "cores": 1, "clock_hz": 1e9, "assigner": "calibrated"}
    answer("solve", json.dumps({**asked, "model": model.model_dump(mode="json")}))
    return model


class Beside:
    """What the VNFs of several games ask for, wherever they stand. Rows beyond a game's VNFs are nobody."""

    def __init__(self, cost: Cost, instances: Sequence[Mapping[str, Any]], alone: Loads) -> None:
        """`alone`: by game and VNF, its load; 0: nobody."""
        model = cost.model
        kinds = np.full(alone.shape, len(model.kinds))
        per_cycle = np.zeros(alone.shape)
        self._extended = model.served == "extended"
        self._near = np.full((2, *alone.shape), -1)
        """VNF before it in its chain, and the one after it; -1: none."""
        for game, instance in enumerate(instances):
            for vnf, given in enumerate(instance["vnfs"]):
                if given["kind"] in model.kinds:
                    kinds[game, vnf] = model.kinds.index(given["kind"])
                per_cycle[game, vnf] = given["rate_pps"] / instance["clock_hz"]
            for one, other in (pair for chain in instance["chains"] for pair in pairwise(chain)):
                self._near[0, game, other], self._near[1, game, one] = one, other
        there = alone > 0
        weights = alone if model.weight == "load" else there.astype(np.float64)
        pairs = alone[:, :, None] * weights[:, None, :] * ~np.eye(alone.shape[1], dtype=bool)
        tables = (np.array(model.core), np.array(model.socket))
        self._core, self._socket = (pairs * table[kinds[:, :, None], kinds[:, None, :]] for table in tables)
        given = model.hand_off
        cycles = np.array([[given.from_socket, given.from_remote], [given.to_socket, given.to_remote]])
        self._hand_off = cycles[:, :, None, None] * per_cycle
        """Load by side (before, after) and distance (socket, beyond), game and VNF."""
        self._alone, self._cost, self._instances = alone, cost, instances

    def parts(self, at: Cores, cores: int) -> Loads:
        """By game and core: of what it is asked for, what it serves, as the model has it: losses upstream unload what
        comes after, or nobody. 1: nobody stands there."""
        loads, found = self.loads(at, cores), np.ones((len(at), cores))
        for game, instance in enumerate(self._instances):
            clock, vnfs = instance["clock_hz"], instance["vnfs"]
            stands = at[game, : len(vnfs)].tolist()
            beside = [
                {"cycles": load * clock / vnf["rate_pps"], "rate_pps": vnf["rate_pps"]}
                for vnf, load in zip(vnfs, loads[game].tolist(), strict=False)
            ]
            asked = {**instance, "vnfs": beside, "assignment": stands, "extended": self._extended}
            found[game, stands] = json.loads(answer("evaluate", json.dumps(asked)))["payoffs"]
        return found

    def loads(self, at: Cores, cores: int) -> Loads:
        """By game and VNF; `at`: their cores."""
        home = self._cost.sockets(cores)[at]
        same_core = at[:, :, None] == at[:, None, :]
        same_socket = (home[:, :, None] == home[:, None, :]) & ~same_core
        found: Loads = self._alone + (self._core * same_core + self._socket * same_socket).sum(axis=2)
        for near, (on_socket, beyond) in zip(self._near, self._hand_off, strict=True):
            other = np.maximum(near, 0)
            moved = (near >= 0) & (np.take_along_axis(at, other, axis=1) != at)
            found += moved * np.where(np.take_along_axis(home, other, axis=1) == home, on_socket, beyond)
        return found
