"""Plans as the worker makes them, and the file of the whole fleet."""

from collections.abc import Iterator
from statistics import median

from cpu import Meter, Spent
from figures import Figure
from seed import chain, names
from sextant_backend.kit import memory
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chain_requests import service as chain_requests
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.console.access import Role

WHO = Principal("bench", Role.OPERATOR)


def one_by_one(meter: Meter, hosts: int, plans: int) -> Iterator[Figure]:
    """A chain submitted and its plan made, again and again: the first in a process that has got ready for it, as a
    worker does before it takes one."""
    with meter.counted() as ready, memory.without_collector():
        planner.get_ready()
    spent = [_plan(meter, hosts, number) for number in range(plans)]
    first, warm = spent[0], spent[1:]
    before = f"getting ready before it takes CPU {ready.cpu:.2f} s"
    yield Figure("plan of one chain, the first", first.wall, 0.5, "s", f"{_of(first)}; {before}")
    slowest = max(warm, key=lambda one: one.wall)
    how = f"median of {len(warm)}, CPU {median(one.cpu for one in warm):.2f} s; slowest {slowest.wall:.2f} s"
    yield Figure("plan of one chain", median(one.wall for one in warm), 0.5, "s", how)


def together(meter: Meter, hosts: int, chains: int) -> Iterator[Figure]:
    """Chains submitted in one request, half of them for a host of their own choice, and the one plan for all."""
    specs = [chain(number, names(hosts)[number % hosts] if number % 2 else None, "many") for number in range(chains)]
    with meter.counted() as submitted, session_scope() as session:
        plan_id = chain_requests.submit_all(session, specs, WHO).plan_id
    with meter.counted() as planned, memory.without_collector():  # as the worker does
        planner.make(plan_id)
    row = _made(plan_id)
    wall = submitted.wall + planned.wall
    how = f"stored in {submitted.wall:.1f} s, planned in {planned.wall:.1f} s, CPU {submitted.cpu + planned.cpu:.1f} s"
    how += f"; {row.placed} placed, {row.rejected} without room; {row.status}, gap {row.gap}"
    yield Figure(f"{chains} chains in one request", wall, 15, "s", how)


def _plan(meter: Meter, hosts: int, number: int) -> Spent:
    with session_scope() as session:
        host = names(hosts)[number % hosts] if number % 2 else None
        plan_id = chain_requests.submit(session, chain(number, host, "new"), WHO).plan_id
    with meter.counted() as spent, memory.without_collector():
        planner.make(plan_id)
    if _made(plan_id).rejected:
        raise RuntimeError(f"plan {plan_id} found no place")
    return spent


def _made(plan_id: int) -> PlanRow:
    with session_scope() as session:
        row = session.get_one(PlanRow, plan_id)
        if row.state != "proposed":
            raise RuntimeError(f"plan {plan_id} is {row.state}: {row.error}")
        return row


def _of(spent: Spent) -> str:
    return f"CPU {spent.cpu:.2f} s, {spent.server:.2f} of it PostgreSQL's"
