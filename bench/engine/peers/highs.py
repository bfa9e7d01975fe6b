"""HiGHS on a problem from standard input: {"problem": ..., "seconds": ...} -> {"score", "proven", ...}.

Rows of patterns that are not chosen are switched off by a constant as large as an NF's throughput can vary.
"""

import highspy
from peer_program import answer
from rows import Program, program_of


def solve(program: Program, seconds: float) -> dict[str, object]:
    """Best score, its proof."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 1e-9)
    highs.setOptionValue("mip_abs_gap", 1e-9)
    chosen = [[highs.addBinary() for _ in patterns] for patterns in program.chains]
    all_weights = [_sum(highs, program, chosen, node, "all_weights") for node in range(len(program.cores))]
    head_weights = [_sum(highs, program, chosen, node, "head_weights") for node in range(len(program.cores))]
    heaviest = sum(max(sum(pattern.all_weights.values()) for pattern in patterns) for patterns in program.chains)
    heaviest += max(program.background)
    speeds = [highs.addVariable(lb=-highspy.kHighsInf, ub=program.most_mpps) for _ in program.chains]
    for patterns, picks, speed in zip(program.chains, chosen, speeds, strict=True):
        highs.addConstr(sum(picks) == 1)
        for pattern, pick in zip(patterns, picks, strict=True):
            for row in pattern.rows:
                slack = program.most_mpps - row.a + (row.b_m + row.b_r) * heaviest
                lost = row.b_m * all_weights[row.node] + row.b_r * head_weights[row.node]
                highs.addConstr(speed + lost + slack * pick <= row.a + slack)
    for node, cores in enumerate(program.cores):
        highs.addConstr(
            sum(
                pattern.nodes.count(node) * pick
                for patterns, picks in zip(program.chains, chosen, strict=True)
                for pattern, pick in zip(patterns, picks, strict=True)
            )
            <= cores
        )
    highs.maximize(sum(speeds))
    status = highs.getModelStatus()
    info = highs.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return {
        "score": info.objective_function_value if found else None,
        "bound": info.mip_dual_bound,
        "proven": status == highspy.HighsModelStatus.kOptimal,
    }


def _sum(
    highs: highspy.Highs, program: Program, chosen: list[list[highspy.highs_var]], node: int, what: str
) -> highspy.highs_var:
    """The node's sum of weights as a variable."""
    total = highs.addVariable(lb=0.0, ub=highspy.kHighsInf)
    terms = [
        getattr(pattern, what)[node] * pick
        for patterns, picks in zip(program.chains, chosen, strict=True)
        for pattern, pick in zip(patterns, picks, strict=True)
        if node in getattr(pattern, what)
    ]
    highs.addConstr(sum(terms) - total == -program.background[node])
    return total


if __name__ == "__main__":
    answer(program_of, solve)
