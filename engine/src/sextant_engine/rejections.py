"""Why a chain does not fit on a host, what is missing, and the cheapest way out, in the problem's own terms."""

from sextant_engine.model import Assignment, Model
from sextant_engine.rank import allowed_nodes
from sextant_engine.result import RejectedChain, Short


def rejections_of(model: Model, assignment: Assignment) -> tuple[RejectedChain, ...]:
    """One entry for each chain that `assignment` leaves out, in the problem's order."""
    room = _room(model, assignment)
    return tuple(
        _rejection(model, assignment, room, index) for index, pattern in enumerate(assignment) if pattern is None
    )


def _room(model: Model, assignment: Assignment) -> list[int]:
    room = list(model.free)
    for pattern in assignment:
        for node in pattern or ():
            room[node] -= 1
    return room


def _rejection(model: Model, assignment: Assignment, room: list[int], index: int) -> RejectedChain:
    chain = model.problem.chains[index]
    confined = sorted({node for allowed in allowed_nodes(model, index) for node in allowed})
    free = sum(max(0, room[node]) for node in confined)
    short = len(chain.nfs) - free
    names = [model.problem.nodes[node].id for node in confined]
    where = f"node {names[0]}" if len(names) == 1 else f"nodes {', '.join(names)}"
    node = names[0] if len(names) == 1 else None
    if short <= 0:
        return RejectedChain(
            chain=chain.id,
            reason=f"pins or the limit on moves leave no way to seat {len(chain.nfs)} NFs on {where}",
            short=None,
            relax="loosen the pins or the limit on moves",
        )
    return RejectedChain(
        chain=chain.id,
        reason=f"needs {len(chain.nfs)} cores on {where}, {free} are free",
        short=Short(node=node, cores=short),
        relax=_relaxation(model, assignment, confined, short, where),
    )


def _relaxation(model: Model, assignment: Assignment, confined: list[int], short: int, where: str) -> str:
    """Give up the accepted chain of least value that frees enough; otherwise name the cores to add."""
    freeing = [
        (model.problem.chains[index].value, model.problem.chains[index].id)
        for index, pattern in enumerate(assignment)
        if pattern is not None and sum(node in confined for node in pattern) >= short
    ]
    cores = "1 core" if short == 1 else f"{short} cores"
    if not freeing:
        return f"add {cores} on {where}"
    value, name = min(freeing)
    return f"remove chain '{name}' (value {value:g}), or add {cores} on {where}"
