"""All fault points there are. A name that is not here cannot be reached: `fault_point` refuses it."""

_AT = {
    "before_send": "before the agent is asked",
    "after_send": "the agent has answered, nothing is stored",
    "before_commit": "the result is written, in a transaction that is not committed",
    "after_commit": "the result is stored, the next step has not begun",
}
_OF_FILES = {
    "before_file": "a file that the order names is about to be sent",
    "after_file": "the agent has the file, the order is not sent",
}
_STEPS = ("check", "make", "ready", "put", "converge", "verify", "measure")
_ORDERS = ("make", "put")
_UNDONE = ("make", "ready", "put", "converge", "verify")

FAULT_POINTS: dict[str, str] = {
    "plan.claimed": "a worker has claimed the plan",
    "plan.before_store": "the plan is computed, nothing is stored",
    "plan.after_commit": "the plan is stored",
    "fit.claimed": "a worker has claimed the fit",
    "fit.before_store": "the models are fitted, nothing is stored",
    "host_cost_fit.claimed": "a worker has claimed the fit of a host's costs",
    "host_cost_fit.before_store": "the costs are fitted, nothing is stored",
    "control.claimed": "a worker has claimed the turn of the control laws",
    "control.before_store": "the laws are evaluated, nothing is stored",
    "control_each_second.claimed": "a worker has claimed the turn of the laws of every second",
    "control_each_second.before_store": "the laws of every second are evaluated, nothing is stored",
    "race.claimed": "a worker has claimed a race, for the turn of one algorithm",
    "race.before_store": "the algorithm has planned, nothing is stored",
    "operate.claiming": "a worker has claimed the operation, in a transaction that is not committed",
    "operate.claimed": "a worker has claimed the operation",
    **{f"operate.{step}.{at}": f"step {step}: {text}" for step in _STEPS for at, text in _AT.items()},
    **{f"operate.{step}.undo.{at}": f"undo of {step}: {text}" for step in _UNDONE for at, text in _AT.items()},
    **{f"operate.{step}.{at}": f"step {step}: {text}" for step in _ORDERS for at, text in _OF_FILES.items()},
    **{f"operate.{step}.undo.{at}": f"undo of {step}: {text}" for step in _ORDERS for at, text in _OF_FILES.items()},
    "operate.before_end": "the operation has ended by decision, in a transaction that is not committed",
    "operate.ended": "the end of the operation is stored",
    "profile.claimed": "a worker has claimed the profiling job, its point is noted as running",
    "profile.before_send": "the point is about to be sent to the agent",
    "profile.after_send": "the agent measures",
    "profile.before_store": "the agent has answered what came of the point, nothing is stored",
    "profile.after_commit": "the record is stored, the next point has not begun",
    "study.claimed": "a worker has claimed the study",
    "study.started": "the lab computes",
    "study.before_store": "the lab has ended, nothing is stored",
    "study.after_commit": "what became of the study is stored",
    "notify.claimed": "a worker has claimed a message and counted the attempt, nothing is sent",
    "notify.before_store": "the message is sent, nothing is stored",
    "notify.after_commit": "what came of the attempt is stored",
    "sweep.before_ring": "the sweep has found what is due and has not rung",
}
"""Name -> where the process is when it gets there."""
