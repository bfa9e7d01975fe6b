"""OR-Tools CP-SAT on a placement; one worker."""

from ortools.sat.python import cp_model
from peer_program import answer
from rows import PER_CORE, Program, answered, program_of


def solve(program: Program, seconds: float) -> dict[str, object]:
    """Delayed bytes, and whether they are proved least."""
    model = cp_model.CpModel()
    cores = range(program.cores)
    on = [[model.new_bool_var("") for _ in cores] for _ in program.shares]
    for element in on:
        model.add_exactly_one(element)
    for core in cores:
        shares = zip(program.shares, on, strict=True)
        model.add(sum(share * element[core] for share, element in shares) <= PER_CORE)
    saved = []
    for one, other, rate in program.pairs:
        for core in cores:
            both = model.new_bool_var("")
            model.add_implication(both, on[one][core])
            model.add_implication(both, on[other][core])
            saved.append(rate * both)
    model.maximize(sum(saved))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    return answered(program, solver.objective_value, status == cp_model.OPTIMAL)


if __name__ == "__main__":
    answer(program_of, solve)
