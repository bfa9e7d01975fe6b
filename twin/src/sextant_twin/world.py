"""Machines and NFs as one run sees them: at the centre of their priors, or drawn by its seed."""

import copy
import json
import random
from typing import Any, NamedTuple

from sextant_twin import machines, nfs
from sextant_twin._core import Host
from sextant_twin.anchor import compute_cycles, past_own_cache
from sextant_twin.calibration import TwinCalibration
from sextant_twin.machines import Machine
from sextant_twin.nfs import Nf


class PreparedNf(NamedTuple):
    """An NF as the core takes it, and its compute cycles."""

    nf: Nf
    core: dict[str, Any]


class TwinWorld:
    """All that a run is made of. Equal calibrations and seeds make equal worlds."""

    def __init__(self, calibration: TwinCalibration, seed: int | None = None) -> None:
        """`seed` None: every prior at its centre, and what was fitted as it was; else both drawn."""
        self.seed = seed
        self.calibration = calibration if seed is None else calibration.drawn(self._generator("calibration"))
        self._machines: dict[str, Machine] = {}
        self._nfs: dict[str, PreparedNf] = {}
        self._hosts: dict[str, Host] = {}

    def machine(self, name: str) -> Machine:
        """The machine of that name, the same all through the run."""
        if name not in self._machines:
            drawn = self.seed is not None
            self._machines[name] = machines.draw(name, self._generator(name)) if drawn else machines.load(name)
        return self._machines[name]

    def host(self, name: str, **llc: Any) -> Host:
        """The twin of that machine, its LLC changed by `llc`."""
        key = f"{name} {sorted(llc.items())}"
        if key not in self._hosts:
            core = self.machine(name).core(self.calibration)
            core["llc"] |= llc
            self._hosts[key] = Host(json.dumps(core))
        return self._hosts[key]

    def nf(self, name: str) -> dict[str, Any]:
        """The NF of that name as the core takes it, the same all through the run; a copy."""
        if name not in self._nfs:
            nf = nfs.load(name) if self.seed is None else nfs.draw(name, self._generator(name))
            nf = nf.fitted(self.calibration)
            compute = None
            if nf.solo is not None:
                machine, host = self.machine(nf.solo.machine), self.host(nf.solo.machine)
                nf = past_own_cache(nf, host)
                compute = compute_cycles(nf, host, machine.clock)
            self._nfs[name] = PreparedNf(nf, nf.core(compute))
        core: dict[str, Any] = copy.deepcopy(self._nfs[name].core)
        return core

    def _generator(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")  # noqa: S311 - draws of priors, not secrets
