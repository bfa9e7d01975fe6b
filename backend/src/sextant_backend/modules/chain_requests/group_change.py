"""Change the anti-affinity group of a chain: nothing moves by it, and what would be broken by it is refused."""

from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import StandsWith
from sextant_domain.naming import few
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chain_requests import parts
from sextant_backend.modules.chains import repository, views
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import event_handlers
from sextant_backend.modules.plans import repository as plans_repository
from sextant_backend.modules.plans import service as plans


class StandsTogether(SextantError):
    """The chain runs where it must not by the group that it is to have."""

    kind, status, title = "stands-together", 409, "The chain stands with others of that group"

    def __init__(self, name: str, group: AntiAffinity, found: list[StandsWith]) -> None:
        """`found`: those of the group that it stands with."""
        where = [
            f"{one.chain} on {one.host if one.node is None else f'node {one.node} of {one.host}'}" for one in found
        ]
        nodes = any(one.node is not None for one in found)
        super().__init__(
            f"{name} stands with {few(where)}, which anti-affinity group {group.group} keeps it apart from. "
            "Nothing was changed.",
            next_actions=[
                NextAction(
                    label="Move it to another host, then ask again",
                    command=f"sextant chains relocate {name} --host HOST",
                ),
                *([NextAction(label="Or move its NFs to another node, then ask again")] if nodes else []),
            ],
        )


def change(session: Session, row: ChainRow, group: AntiAffinity | None, who: Principal) -> None:
    """Of the (locked) chain. Its hosts are locked, too: whoever applies a plan there waits, and reads the group then.

    Raises HostBusy where an operation is at work on the chain or its hosts, StandsTogether. A chain that is nowhere is
    planned anew.
    """
    spec = ChainSpec.model_validate(row.spec)
    if spec.anti_affinity == group:
        return
    plans.refuse_unfinished(session, row)
    used = repository.hosts_of(session, row.name)
    plans.lock_hosts(session, used)
    operations.refuse_busy(session, used)
    changed = spec.model_copy(update={"anti_affinity": group})
    row.spec = changed.model_dump(mode="json")
    session.flush()
    found = views.stands_with(session, used).get(row.name, [])
    if group is not None and found:
        raise StandsTogether(row.name, group, found)
    audit.record(
        session, who.username, "chain.anti_affinity", f"chain/{row.name}", before=_kept(spec), after=_kept(changed)
    )
    views.changed(session, row)
    if not used:
        event_handlers.supersede(session, plans_repository.unapplied_of(session, row.name))
        plans.ask(session, parts.to_place(spec), who)


def _kept(spec: ChainSpec) -> dict[str, object]:
    return {"anti_affinity": spec.anti_affinity and spec.anti_affinity.model_dump(mode="json")}
