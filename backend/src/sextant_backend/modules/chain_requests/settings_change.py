"""Change settings of a chain: of one that runs by a plan and an operation at once, of another by its specification."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from sextant_domain.chains.chain import SHARED_PROCESS, ChainSettings, ChainSpec, NfSettings
from sextant_domain.chains.cpu_bounds import ONE_OF_TWO
from sextant_domain.chains.kernel_nf import unlimitable, unlimitable_nf
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.intents import AdjustIntent
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import ValidationFailed, field_errors
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.references import Named, named_by
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chain_requests import config_change, lane_numbers, parts
from sextant_backend.modules.chain_requests.schemas import ChainChange
from sextant_backend.modules.chains import repository, views
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.nfs import types as nf_types
from sextant_backend.modules.plans import drafts, event_handlers
from sextant_backend.modules.plans import repository as plans_repository
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans.drafts import RequestDraft


@dataclass(frozen=True)
class _Asked:
    """What a change makes of a chain, and of the other parts of one over several hosts."""

    spec: ChainSpec
    now: ChainSettings
    wanted: ChainSettings
    others: Sequence[tuple[ChainSpec, ChainSettings]]
    """Parts that get what is of the whole, each with its settings as they shall be; none where all have it."""
    used: list[str]
    """The hosts of all of them."""

    @property
    def changes(self) -> bool:
        """Whether anything is not as asked already."""
        return self.wanted != self.now or bool(self.others)

    @property
    def intent(self) -> AdjustIntent:
        """Of the chain that runs."""
        more = tuple(other.name for other, _ in self.others)
        return AdjustIntent(chain=self.spec.name, settings=self.wanted, more=more)


def draft(session: Session, name: str, change: ChainChange) -> RequestDraft | None:
    """What the change would do, computed before anything is locked; None where no host has to be ordered."""
    asked = _asked(session, chains.found(session, name), change)
    if not asked.changes or not asked.used:
        return None
    return drafts.draft(session, asked.intent, asked.used)


def predict(session: Session, name: str, change: ChainChange) -> SettingsPrediction:
    """What the change would do, by the plan that would apply it. Nothing is locked or stored; raises NotFound and what
    `adjust` raises of the change itself, and Unavailable."""
    asked = _asked(session, chains.found(session, name), change)
    if not asked.changes:
        return SettingsPrediction.without_figures(name, SettingsEffect.NOTHING)
    _checked(session, asked)
    if not asked.used:
        return SettingsPrediction.without_figures(name, SettingsEffect.SPECIFICATION)
    from sextant_engine.settings_prediction import predict_settings  # the Rust core, which only this needs

    drafted = drafts.draft(session, asked.intent, asked.used)
    return predict_settings(drafted.snapshot, asked.intent, drafted.body)


def adjust(
    session: Session, row: ChainRow, change: ChainChange, drafted: RequestDraft | None, who: Principal
) -> int | None:
    """Change settings of the (locked) chain, and of all its parts what is of the whole: the operation's id, or None
    where no host had to be ordered.

    Of a chain that runs the specification follows the order (`lifecycle.follow_order`), not this request. Raises
    ValidationFailed, HostBusy where an operation is at work on it, FleetMovedOn, PlanNotApplicable where the engine
    refuses.
    """
    plans.refuse_unfinished(session, row)
    asked = _asked(session, row, change)
    if not asked.changes:
        return None
    changed = _checked(session, asked, keep=True)
    for spec, files in changed:
        artefacts.note_uses(session, spec.name, files)
    audit.record(
        session, who.username, "chain.adjust", f"chain/{row.name}", _audit_detail(change), before=asked.now,
        after=asked.wanted,
    )  # fmt: skip
    if asked.used:
        return drafts.apply(session, drafted, asked.intent, asked.used, who).id
    _change_specifications(session, [spec for spec, _ in changed], who)
    return None


def _checked(session: Session, asked: _Asked, *, keep: bool = False) -> list[tuple[ChainSpec, list[Named]]]:
    """The chain and its other parts with these settings, and the files that they name; raises ValidationFailed where
    one cannot be used. `keep`: as of `nf_types.named`."""
    found: list[tuple[ChainSpec, list[Named]]] = []
    for spec, settings in ((asked.spec, asked.wanted), *asked.others):
        changed = _changed(spec, settings)
        files = list(named_by(changed, nf_types.named(session, {nf.type for nf in changed.nfs}, keep=keep)))
        _refuse([*artefacts.config_violations(session, files), *lane_numbers.taken(session, changed)])
        found.append((changed, files))
    return found


def _asked(session: Session, row: ChainRow, change: ChainChange) -> _Asked:
    """Raises ValidationFailed."""
    spec = ChainSpec.model_validate(row.spec)
    now = _whole(spec)
    wanted = _wanted(spec, now, change)
    kernel = _of_the_kernel(session, spec, wanted)
    _refuse([*_unfit(spec, wanted, change), *kernel, *config_change.config_violations(spec, change)])
    others = parts.along(session, spec, wanted)
    for one, needs in ((spec, wanted.needs_beyond(now)), *((one, to.needs_beyond(one.settings)) for one, to in others)):
        _refuse(list(_impossible(session, needs, repository.hosts_of(session, one.name))))
    used = repository.hosts_of(session, row.name, *(one.name for one, _ in others))
    return _Asked(spec, now, wanted, others, used)


def _whole(spec: ChainSpec) -> ChainSettings:
    """The chain's settings, with the defaults of what it leaves out of its NFs' configurations."""
    settings = spec.settings
    nfs = {nf.name: config_change.whole(nf.type, settings.nfs[nf.name]) for nf in spec.nfs}
    return settings.model_copy(update={"nfs": nfs})


def _wanted(spec: ChainSpec, now: ChainSettings, change: ChainChange) -> ChainSettings:
    """All settings, as they shall be; NFs that the chain lacks included, to be refused."""
    types = {nf.name: nf.type for nf in spec.nfs}
    nfs = {
        name: config_change.changed(types.get(name), now.nfs.get(name, NfSettings()), asked)
        for name, asked in change.nfs.items()
    }
    given = {
        field: getattr(change, field)
        for field in ("traffic", "execution", "paused")
        if getattr(change, field) is not None
    }
    for field in ("share_bounds", "quota_bounds"):
        if field in change.model_fields_set:  # null takes them away
            given[field] = getattr(change, field)
    return now.model_copy(update={**given, "nfs": {**now.nfs, **nfs}})


def _changed(spec: ChainSpec, wanted: ChainSettings) -> ChainSpec:
    """Traffic is judged once more beside what it enters: a payload must fit into the packets of the chain's match."""
    try:
        return spec.with_settings(wanted)
    except ValidationError as error:
        _refuse(list(field_errors([dict(one) for one in error.errors(include_url=False)])))
        raise


def _unfit(spec: ChainSpec, wanted: ChainSettings, change: ChainChange) -> Iterator[FieldError]:
    names = [nf.name for nf in spec.nfs]
    yield from parts.traffic_of_another(spec, change)
    for name in change.nfs.keys() - set(names):
        yield FieldError(field=f"nfs.{name}", message=f"{spec.name} has no such NF; it has {', '.join(names)}")
    if wanted.share_bounds is not None and wanted.quota_bounds is not None:
        yield FieldError(field="quota_bounds", message=ONE_OF_TWO)
    if wanted.execution == "isolated":
        return
    for field in ("share_bounds", "quota_bounds"):
        if getattr(wanted, field) is not None:
            yield FieldError(field=field, message=SHARED_PROCESS)
    for name, nf in wanted.nfs.items():
        for field, value in nf.model_dump(exclude={"config"}).items():
            if value is not None and getattr(change.nfs.get(name), field, None) is not None:
                yield FieldError(field=f"nfs.{name}.{field}", message=SHARED_PROCESS)
            elif value is not None:
                message = f"{name} has a {field}, and {SHARED_PROCESS.split(';')[0]}; take it away (null) first"
                yield FieldError(field="execution", message=message)


def _of_the_kernel(session: Session, spec: ChainSpec, wanted: ChainSettings) -> Iterator[FieldError]:
    """CPU time that NFs without a process would be given."""
    types = nf_types.named(session, {nf.type for nf in spec.nfs})
    kinds = {nf.name: types[nf.type].runs for nf in spec.nfs if nf.type in types}
    for name, kind in kinds.items():
        yield from unlimitable_nf(wanted.nfs[name], kind, f"nfs.{name}")
    yield from unlimitable(wanted, kinds)


def _impossible(session: Session, needs: Mapping[str, str], used: list[str]) -> Iterator[FieldError]:
    """What the chain's hosts say they cannot do, of what is new to it. `needs`: setting -> capability."""
    for host in hosts.named(session, used):
        if host.inventory is None:
            continue
        inventory = HostInventory.model_validate(host.inventory)
        for field, capability in needs.items():
            why_not = inventory.why_not(capability)
            if why_not is not None:
                yield FieldError(field=field, message=f"cannot be set on {host.host_id}: {why_not}")


def _refuse(errors: list[FieldError]) -> None:
    if errors:
        raise ValidationFailed.of(errors, "Nothing was changed.")


def _audit_detail(change: ChainChange) -> dict[str, object]:
    return change.model_dump(mode="json", exclude_unset=True, exclude_none=True, exclude={"nfs"}) | (
        {"nfs": sorted(change.nfs)} if change.nfs else {}
    )


def _change_specifications(session: Session, changed: Sequence[ChainSpec], who: Principal) -> None:
    """Of chains that are nowhere: what was planned with the former settings is superseded, and planned anew."""
    specs = {spec.name: spec for spec in changed}
    for row in repository.living_of(session, specs):
        row.spec = specs[row.name].model_dump(mode="json")
        views.changed(session, row)
        event_handlers.supersede(session, plans_repository.unapplied_of(session, row.name))
    plans.ask(session, parts.to_place(changed[0]), who)
