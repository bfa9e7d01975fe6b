"""The verb `push_aside`: both rules on a question in JSON."""

from sextant_engine.control.coco.push_aside import borders, core_of, push_aside, without_moves
from sextant_engine.control.coco.state import PushQuestion, SharedCores
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.coco.problem import MOST, PushAside, Pushed
from sextant_engine.laws.coco.solve import ExactPush
from sextant_engine.stop import Stop

_MOST_BORDERS = 20
"""The published rule looks through subsets of them."""


def pushed(asked: PushAside, stop: Stop) -> Pushed:
    """The answer. Raises BadEngineInput."""
    ids = list(asked.cores)
    question = _question(asked)
    lacks, _ = without_moves(question)
    if asked.since_last_s is not None and asked.since_last_s < asked.hold_s:
        why = f"{asked.since_last_s:g} of {asked.hold_s:g} s have gone by since the last push"
        return Pushed(action="wait", move=(), D=lacks, freed=0.0, why=why)
    if asked.rule == "exact":
        found = ExactPush(asked.t_d, asked.price, stop)(question)
    else:
        count = len(borders(question.host, core_of(question.host, asked.overloaded), asked.overloaded))
        if count > _MOST_BORDERS:
            message = (
                f"have {count} border elements, of which the published rule takes {_MOST_BORDERS}; use the exact one"
            )
            raise BadEngineInput("chains", message)
        found = push_aside(question)
    move = tuple((name, ids[core]) for name, core in sorted(found.moves.items()))
    told = ", ".join(f"{name} to core {core}" for name, core in move)
    why = f"{told} frees {100 * found.freed:.0f} %" if move else found.why
    return Pushed(action=found.action, move=move, D=lacks, freed=found.freed, why=why)


def _question(asked: PushAside) -> PushQuestion:
    stands: dict[str, str] = {}
    for core, names in asked.cores.items():
        for index, name in enumerate(names):
            if name in stands:
                raise BadEngineInput(f"cores.{core}.{index}", f"'{name}' stands on core {stands[name]}, too")
            stands[name] = core
    for number, chain in enumerate(asked.chains):
        for index, name in enumerate(chain):
            if name in chain[:index]:
                raise BadEngineInput(f"chains.{number}.{index}", f"'{name}' occurs twice: a chain has no loop")
            if name not in stands:
                raise BadEngineInput(f"chains.{number}.{index}", f"'{name}' stands on no core")
    _named(asked, stands)
    rates = asked.rates if asked.rates is not None else (1.0,) * len(asked.chains)
    if len(rates) != len(asked.chains):
        raise BadEngineInput("rates", f"has {len(rates)} entries, not one for each of {len(asked.chains)} chains")
    return PushQuestion(
        host=SharedCores(
            cores=dict(enumerate(asked.cores.values())),
            chains={str(index): chain for index, chain in enumerate(asked.chains)},
            free_slots=dict.fromkeys(range(len(asked.cores)), MOST),
        ),
        use=asked.cpu,
        others={},
        overloaded=asked.overloaded,
        needs=asked.needs,
        rates_mpps={str(index): rate for index, rate in enumerate(rates)},
    )


def _named(asked: PushAside, stands: dict[str, str]) -> None:
    if len(stands) > MOST:
        raise BadEngineInput("cores", f"hold {len(stands)} elements, more than {MOST}")
    if asked.overloaded not in stands:
        raise BadEngineInput("overloaded", f"'{asked.overloaded}' stands on no core")
    if not any(asked.overloaded in chain for chain in asked.chains):
        raise BadEngineInput("overloaded", f"'{asked.overloaded}' is in no chain")
    for name in sorted(stands.keys() ^ asked.cpu.keys()):
        raise BadEngineInput(f"cpu.{name}", "is missing" if name in stands else "stands on no core")
