"""Reads group files as chains, and writes placements as start commands; stores nothing."""

from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostInventory
from sextant_domain.opennetvm.views import ChainImport, ImportedChain, StartCommands
from sextant_domain.plans.plan import PlanBody
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError, ValidationFailed
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.opennetvm.chain_import import chains_of
from sextant_backend.modules.opennetvm.compatibility import express
from sextant_backend.modules.opennetvm.group_export import write_group
from sextant_backend.modules.opennetvm.group_file import BadGroup
from sextant_backend.modules.opennetvm.schemas import ImportRequest
from sextant_backend.modules.opennetvm.shell_script import shell_script
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans import views as plan_views

EACH_ITS_PORTS = "each manager wants ports of its own: set PORTS_n and EAL_n"
FIRST_CHAIN = "OpenNetVM hands packets of its ports to service 1: of the group file's chains only the first has them"


class NothingToStart(SextantError):
    """There is no placement to write."""

    kind, status, title = "nothing-to-start", 409, "There is no placement to write as commands"


def read_chains(session: Session, asked: ImportRequest) -> ChainImport:
    """What the group file describes. Raises ValidationFailed with every place in it that is wrong."""
    try:
        specs, notes = chains_of(asked.text, asked.files, asked.name_prefix, asked.traffic)
    except BadGroup as bad:
        raise ValidationFailed.of(bad.errors, "Nothing was stored.") from bad
    return ChainImport(
        chains=tuple(
            ImportedChain(spec=spec, services=services, taken=chains.living(session, spec.name) is not None)
            for spec, services in specs
        ),
        notes=tuple(notes),
    )


def of_host(session: Session, host_id: str) -> StartCommands:
    """What the host was last ordered to run. Raises NotFound, NothingToStart."""
    return _written(hosts.ordered(session, host_id), _inventory(session, host_id), f"host {host_id}")


def of_plan(session: Session, plan_id: int, host_id: str | None) -> StartCommands:
    """What a plan orders of a host, which may be left out where it orders one only. Raises NotFound, NothingToStart."""
    row = plans.found(session, plan_id, body=True)
    if row.body is None:
        raise NothingToStart(
            f"Plan {plan_id} is {row.state} and orders nothing yet.",
            next_actions=[NextAction(label="See how far it is", command=f"sextant plans show {plan_id}")],
        )
    target = _target(plan_id, plan_views.body_of(row), host_id)
    name = target.content.host_id
    return _written(target, _inventory(session, name), f"plan {plan_id} on host {name}")


def _target(plan_id: int, body: PlanBody, host_id: str | None) -> DesiredHostConfig:
    by_host = {target.content.host_id: target for target in body.target}
    if not by_host:
        raise NothingToStart(f"Plan {plan_id} orders nothing of any host.")
    if host_id is None and len(by_host) == 1:
        return body.target[0]
    if host_id not in by_host:
        cause = "name the host" if host_id is None else f"it orders nothing of {host_id}"
        message = f"{cause}: plan {plan_id} is about {', '.join(sorted(by_host)[:20])}"
        raise ValidationFailed(f"Refused: {message}.", errors=[FieldError(field="query.host", message=message)])
    return by_host[host_id]


def _inventory(session: Session, host_id: str) -> HostInventory:
    found = hosts.one(session, host_id).inventory
    if found is None:
        raise NothingToStart(f"{host_id} has not said yet what it is made of.")
    return found


def _written(desired: DesiredHostConfig, inventory: HostInventory, what: str) -> StartCommands:
    starts, refusals, notes = express(desired.content, inventory)
    group, not_in_group, manager = write_group(starts)
    if len(starts) > 1:
        notes.append(EACH_ITS_PORTS)
    if len(starts) - len(not_in_group) > 1:
        notes.append(FIRST_CHAIN)
    return StartCommands(
        host=desired.content.host_id,
        shell=shell_script(f"{what}, generation {desired.generation}", starts),
        group=group.text(),
        group_manager=manager,
        group_files=group.files,
        refusals=(*refusals, *not_in_group),
        notes=tuple(notes),
    )
