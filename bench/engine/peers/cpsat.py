"""OR-Tools CP-SAT on a problem from standard input: {"problem": ..., "seconds": ...} -> {"score", "proven", ...}.

CP-SAT knows whole numbers only: weights are counted in millionths, throughputs in 10^-10 Mpps, so that a coefficient
is rounded by less than 10^-4 of itself and a score by less than 10^-5. Finer is not better: at 10^-12 Mpps CP-SAT 9.15
calls a placement optimal that is not.
"""

from ortools.sat.python import cp_model
from peer_program import answer
from rows import Program, program_of

PER_WEIGHT = 10**6
PER_MPPS = 10**10
WORKERS = 2


def solve(program: Program, seconds: float) -> dict[str, object]:
    """Best score, its proof, and CPU seconds of all workers."""
    model = cp_model.CpModel()
    chosen = [[model.new_bool_var("") for _ in patterns] for patterns in program.chains]
    all_weights = [_sum(model, program, chosen, node, "all_weights") for node in range(len(program.cores))]
    head_weights = [_sum(model, program, chosen, node, "head_weights") for node in range(len(program.cores))]
    limit = round(2 * program.most_mpps * PER_MPPS)
    speeds = [model.new_int_var(-limit, limit, "") for _ in program.chains]
    for patterns, picks, speed in zip(program.chains, chosen, speeds, strict=True):
        model.add_exactly_one(picks)
        for pattern, pick in zip(patterns, picks, strict=True):
            for row in pattern.rows:
                lost = round(row.b_m * PER_MPPS / PER_WEIGHT) * all_weights[row.node]
                lost += round(row.b_r * PER_MPPS / PER_WEIGHT) * head_weights[row.node]
                model.add(speed <= round(row.a * PER_MPPS) - lost).only_enforce_if(pick)
    for node, cores in enumerate(program.cores):
        model.add(
            sum(
                pattern.nodes.count(node) * pick
                for patterns, picks in zip(program.chains, chosen, strict=True)
                for pattern, pick in zip(patterns, picks, strict=True)
            )
            <= cores
        )
    model.maximize(sum(speeds))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = WORKERS
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.relative_gap_limit = 1e-9
    status = solver.solve(model)
    found = status in {cp_model.OPTIMAL, cp_model.FEASIBLE}
    return {
        "score": solver.objective_value / PER_MPPS if found else None,
        "bound": solver.best_objective_bound / PER_MPPS,
        "proven": status == cp_model.OPTIMAL,
    }


def _sum(
    model: cp_model.CpModel, program: Program, chosen: list[list[cp_model.IntVar]], node: int, what: str
) -> cp_model.IntVar:
    """The node's sum of weights as a variable: rows that share it stay short."""
    terms = [
        round(getattr(pattern, what)[node] * PER_WEIGHT) * pick
        for patterns, picks in zip(program.chains, chosen, strict=True)
        for pattern, pick in zip(patterns, picks, strict=True)
        if node in getattr(pattern, what)
    ]
    total = model.new_int_var(0, 1000 * PER_WEIGHT, "")
    model.add(total == sum(terms) + round(program.background[node] * PER_WEIGHT))
    return total


if __name__ == "__main__":
    answer(program_of, solve)
