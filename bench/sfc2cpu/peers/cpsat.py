"""OR-Tools CP-SAT on the least greatest load; one worker."""

from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model
from peer_program import answer


@dataclass(frozen=True)
class Program:
    """Whole numbers."""

    loads: tuple[int, ...]
    cores: int


def program_of(problem: dict[str, Any]) -> Program:
    """Of a job of `timing`."""
    return Program(tuple(problem["loads"]), problem["cores"])


def solve(program: Program, seconds: float) -> dict[str, object]:
    """The greatest load, and whether it is proved least. VNF k on one of the first k + 1 cores: cores are alike."""
    model = cp_model.CpModel()
    order = sorted(program.loads, reverse=True)
    on = [[model.new_bool_var("") for _ in range(program.cores)] for _ in order]
    for index, vnf in enumerate(on):
        model.add_exactly_one(vnf)
        for core in range(index + 1, program.cores):
            model.add(vnf[core] == 0)
    greatest = model.new_int_var(max(order), sum(order), "")
    for core in range(program.cores):
        model.add(sum(load * vnf[core] for load, vnf in zip(order, on, strict=True)) <= greatest)
    model.minimize(greatest)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    return {"max_load": solver.objective_value, "proven": status == cp_model.OPTIMAL}


if __name__ == "__main__":
    answer(program_of, solve)
