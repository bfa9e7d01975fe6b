"""A training by the fitted costs of a host: those in force when it is asked for are kept with it, so that it can be
repeated whatever is fitted later."""

from collections import Counter

from sextant_domain.hosts.host import HostInventory
from sextant_domain.problem import FieldError
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_domain.studies.school import SchoolScenario, toml_of
from sextant_domain.studies.school_costs import SchoolCost
from sextant_engine.planning.promoted_network import CLOCK_HZ
from sextant_engine.seats import CoreLayout
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.host_costs import repository, views
from sextant_backend.modules.host_costs.errors import CostsMissing
from sextant_backend.modules.host_costs.models import HostCostRow
from sextant_backend.modules.hosts import repository as hosts

US = 1e6
"""Of a second."""


def with_cost(session: Session, asked: SchoolScenario, toml: str) -> str:
    """The training's file, with the costs of the host that it names. Raises CostsMissing where none hold,
    ValidationFailed for a host that is not there, or for costs that are not that host's."""
    if asked.cost is None or asked.cost.host is None:
        return toml
    name = asked.cost.host
    host = hosts.get(session, name)
    if host is None or host.inventory is None:
        raise _refused("host", f"there is no host {name}; `sextant hosts` lists those that are")
    if asked.cost.model is not None:
        _refuse_other(session, name, asked.cost)
        return toml
    row = repository.newest(session, name)
    if row is None or row.drifted_at is not None:
        raise CostsMissing(
            name,
            None if row is None else row.version,
            "the training is asked to go by them. Nothing was stored.",
            "Or train by the ideal model, in which nobody hurts anybody",
        )
    sockets = asked.cost.socket_cores or _socket_cores(HostInventory.model_validate(host.inventory))
    cost = SchoolCost(host=name, version=row.version, socket_cores=sockets, model=_of_games(row))
    return toml_of(asked.model_copy(update={"cost": cost}))


def _refuse_other(session: Session, name: str, given: SchoolCost) -> None:
    """A study's own file may be started again; nothing else is called a host's."""
    row = repository.of_version(session, name, given.version or 0)
    if row is None or _of_games(row) != given.model:
        what = f"is not version {given.version} of what was fitted on {name}"
        raise _refused("model", f"{what}: leave model and version out, and those in force are taken; or leave host out")


def _of_games(row: HostCostRow) -> InflationModel:
    """Hand-offs in cycles of the games' clock; a host's are in microseconds."""
    model = views.model(row)
    cycles = {name: us * CLOCK_HZ / US for name, us in model.hand_off.model_dump().items()}
    return model.model_copy(update={"hand_off": HandOff(**cycles), "errors": {}})


def _socket_cores(inventory: HostInventory) -> int | None:
    """Cores that NFs may share on the memory node with most of them; costs were fitted by node. None: there is one."""
    by_node = Counter(unit.node for unit in CoreLayout.of(inventory).units if unit.blocked is None)
    return max(by_node.values()) if len(by_node) > 1 else None


def _refused(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(
        f"Refused because of cost.{field}: {message}. Nothing was stored.",
        errors=[FieldError(field=f"scenario_toml.cost.{field}", message=message)],
    )
