"""Placement engine: pure functions from a fleet snapshot to a plan; no I/O, the clock is passed in.

Entry points: `plan.make_plan(snapshot, intent, algorithm, seed, stop, clock) -> PlanBody`,
`check.check(body, snapshot) -> tuple[CheckFinding, ...]`, `parameters.assumed_models(host_model)`,
`solve.solve(problem, algorithm, params, seed, stop, initial) -> SolveResult`.
"""
