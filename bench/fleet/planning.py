"""Plans as the worker makes them, and the file of the whole fleet."""

from collections.abc import Iterator
from statistics import median

from cpu import Meter, Spent
from figures import Figure
from seed import chain, names
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chain_requests import service as chain_requests
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.console.access import Role

WHO = Principal("bench", Role.OPERATOR)


def one_by_one(meter: Meter, hosts: int, plans: int) -> Iterator[Figure]:
    """A chain submitted and its plan made, again and again: the first in a process that knows nothing of the fleet."""
    spent = [_plan(meter, hosts, number) for number in range(plans)]
    first, warm = spent[0], spent[1:]
    yield Figure("plan of one chain, the first", first.wall, 0.5, "s", _of(first))
    slowest = max(warm, key=lambda one: one.wall)
    how = f"median of {len(warm)}, CPU {median(one.cpu for one in warm):.2f} s; slowest {slowest.wall:.2f} s"
    yield Figure("plan of one chain", median(one.wall for one in warm), 0.5, "s", how)


def _plan(meter: Meter, hosts: int, number: int) -> Spent:
    with session_scope() as session:
        host = names(hosts)[number % hosts] if number % 2 else None
        plan_id = chain_requests.submit(session, chain(number, host, "new"), WHO).plan_id
    with meter.counted() as spent:
        planner.make(plan_id)
    with session_scope() as session:
        row = session.get_one(PlanRow, plan_id)
        if row.state != "proposed" or row.rejected:
            raise RuntimeError(f"plan {plan_id} is {row.state}, {row.rejected} rejected: {row.error}")
    return spent


def _of(spent: Spent) -> str:
    return f"CPU {spent.cpu:.2f} s, {spent.server:.2f} of it PostgreSQL's"
