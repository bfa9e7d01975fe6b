"""HiGHS on a placement."""

import highspy
from peer_program import answer
from rows import PER_CORE, Program, answered, program_of


def solve(program: Program, seconds: float) -> dict[str, object]:
    """Delayed bytes, and whether they are proved least."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("threads", 1)
    cores = range(program.cores)
    on = [[highs.addBinary() for _ in cores] for _ in program.shares]
    for element in on:
        highs.addConstr(sum(element) == 1)
    for core in cores:
        shares = zip(program.shares, on, strict=True)
        highs.addConstr(sum(share * element[core] for share, element in shares) <= PER_CORE)
    saved = []
    for one, other, rate in program.pairs:
        for core in cores:
            both = highs.addBinary()
            highs.addConstr(both <= on[one][core])
            highs.addConstr(both <= on[other][core])
            saved.append(rate * both)
    highs.maximize(sum(saved))
    info = highs.getInfo()
    proven = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return answered(program, info.objective_function_value, proven)


if __name__ == "__main__":
    answer(program_of, solve)
