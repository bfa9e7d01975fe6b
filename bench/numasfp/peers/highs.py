"""HiGHS on an exact step."""

import highspy
from peer_program import answer
from rows import Program, answered, program_of


def solve(program: Program, seconds: float) -> dict[str, object]:
    """The objective, and whether it is proved."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", seconds)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("threads", 1)
    picks = [[(choice, highs.addBinary()) for choice in choices] for choices in program.chains]
    for chain in picks:
        highs.addConstr(sum(pick for _, pick in chain) <= 1)
    flat = [pair for chain in picks for pair in chain]
    for node, (ways, percent) in enumerate(zip(program.ways, program.percent, strict=True)):
        here = [(choice, pick) for choice, pick in flat if choice.node == node]
        highs.addConstr(sum(choice.ways * pick for choice, pick in here) <= ways)
        highs.addConstr(sum(choice.percent * pick for choice, pick in here) <= percent)
    highs.maximize(sum(choice.value * pick for choice, pick in flat))
    info = highs.getInfo()
    return answered(info.objective_function_value, highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)


if __name__ == "__main__":
    answer(program_of, solve)
