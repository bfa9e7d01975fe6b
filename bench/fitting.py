"""What a fit takes: CPU time of learning, and of the whole fit with cross-validation, on profiles of the twin.

python bench/fitting.py

With OPENBLAS_NUM_THREADS=1, as the console's workers have it.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import median

from figures import Figure, show
from sextant_agent.drivers.twin.inventory import build_inventory
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointPurpose, ProfileRecord, ProfilingAsk
from sextant_engine.modelling.fitting import fit
from sextant_engine.modelling.learning import learn
from sextant_engine.modelling.predictor import profiles_of
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import design
from sextant_engine.profiling.requests import request_of
from sextant_twin import machines
from sextant_twin.profiling import TwinProfiler

MACHINE = "xeon-e5-2650-v4"
"""Octans' server (Sec. VI-A)."""
CORES_A_NODE = 12
SAMPLES = 500
GOAL_MS = 50.0
REPEATS = 20
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def generated_profiles(samples: int = SAMPLES, machine: str = MACHINE) -> list[ProfileRecord]:
    """Records with so many drops among them, ideals beside them: whole profiling jobs of the catalogue's types, one
    after the other, as a simulated host of that machine answers them; the last job is cut short."""
    loaded = machines.load(machine)
    inventory, profiler = build_inventory(loaded, machine), TwinProfiler(loaded)
    found: list[ProfileRecord] = []
    left = samples
    for job_id, nf_type in enumerate(sorted(BY_NAME), start=1):
        for record in _job(job_id, nf_type, inventory, profiler):
            if record.setting.purpose is not PointPurpose.IDEAL:
                if left == 0:
                    return found
                left -= 1
            found.append(record.model_copy(update={"id": len(found) + 1, "point_id": len(found) + 1}))
    raise ValueError(f"samples: {samples - left} at most, not {samples}")


def _job(job_id: int, nf_type: str, inventory: HostInventory, profiler: TwinProfiler) -> Iterator[ProfileRecord]:
    ask, free = ProfilingAsk(nf_type=nf_type, host=inventory.host_id), free_cores(inventory)
    for point in design(ask, inventory, free, BY_NAME).points:
        request = request_of(point, ask, inventory, free, BY_NAME)
        yield ProfileRecord(
            id=1,
            job_id=job_id,
            point_id=1,
            host=inventory.host_id,
            host_model=inventory.host_model,
            versions={nf.nf_type: BY_NAME[nf.nf_type].version for nf in (*point.chain, *point.others)},
            setting=point,
            request=request,
            result=profiler.profile(request, "bench"),
            stored_at=NOW,
            provenance=Provenance.SIMULATED,
        )


def cpu_ms(act: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median CPU time of this process, all threads of it, after one run that warms it up."""
    act()
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        act()
        taken.append(1e3 * (time.process_time() - began))
    return median(taken)


def learning_ms(records: Sequence[ProfileRecord], repeats: int = REPEATS) -> float:
    """What the goal is of: profiles, metric, scale, both solvers, curves."""
    return cpu_ms(lambda: learn(profiles_of(records), CORES_A_NODE), repeats)


def fit_ms(records: Sequence[ProfileRecord], repeats: int = REPEATS) -> float:
    """The whole fit: cross-validation of every predictor on both splits, and the versions, too."""
    host_model = records[0].host_model
    return cpu_ms(lambda: fit(records, fit_id=1, now=NOW, host_model=host_model, cores_a_node=CORES_A_NODE), repeats)


def main() -> None:
    """The figures."""
    parser = argparse.ArgumentParser(description="CPU time of fitting performance models.")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="drops among the records (%(default)s)")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="runs, of which the median counts (%(default)s)")
    options = parser.parse_args()
    records = generated_profiles(options.samples)
    how = f"{options.samples} samples, median CPU time of {options.repeats}"
    show([Figure("learning", learning_ms(records, options.repeats), GOAL_MS, "ms", how)])
    print(f"with cross-validation: {fit_ms(records, options.repeats):.0f} ms")


if __name__ == "__main__":
    main()
