"""OR-Tools CP-SAT on an exact step; one worker, which is the fastest at these sizes."""

from ortools.sat.python import cp_model
from peer_program import answer
from rows import Program, answered, program_of


def solve(program: Program, seconds: float) -> dict[str, object]:
    """The objective, and whether it is proved."""
    model = cp_model.CpModel()
    picks = [[(choice, model.new_bool_var("")) for choice in choices] for choices in program.chains]
    for chain in picks:
        model.add_at_most_one(pick for _, pick in chain)
    flat = [pair for chain in picks for pair in chain]
    for node, (ways, percent) in enumerate(zip(program.ways, program.percent, strict=True)):
        here = [(choice, pick) for choice, pick in flat if choice.node == node]
        model.add(sum(choice.ways * pick for choice, pick in here) <= ways)
        model.add(sum(choice.percent * pick for choice, pick in here) <= percent)
    model.maximize(sum(choice.value * pick for choice, pick in flat))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    return answered(solver.objective_value, status == cp_model.OPTIMAL)


if __name__ == "__main__":
    answer(program_of, solve)
