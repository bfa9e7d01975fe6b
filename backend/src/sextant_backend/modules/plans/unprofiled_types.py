"""A chain with an NF type that nobody has profiled where the chain may go: its profiling starts, and its plan waits
(Octans, Sec. V). Built-in types have assumed models that are meant to be used; a registered one has those of its
implementation, which say nothing of its configuration."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import PROFILING, HostStatus
from sextant_domain.plans.plan import PlanWait
from sextant_domain.plans.snapshot import HostSnapshot
from sextant_domain.profiling.job import FINAL_JOB_STATES, ProfilingAsk
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.plans import model_waits
from sextant_backend.modules.profiling import service as profiling
from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.snapshots import service as snapshots


def wait_for(session: Session, spec: ChainSpec, who: Principal) -> PlanWait | None:
    """What the chain's plan has to wait for; None where all is known somewhere, or no host can profile what is not."""
    named = types.named(session, {nf.type for nf in spec.nfs})
    registered = sorted(name for name, nf_type in named.items() if nf_type.implementation is not None)
    if not registered:
        return None
    open_hosts = _open_hosts(snapshots.hosts(session, snapshots.now(session)), spec)
    host_models = sorted({host.inventory.host_model for host in open_hosts})
    known = in_use.known(session, host_models)
    missing = {model: [name for name in registered if (model, name) not in known] for model in host_models}
    if not missing or not all(missing.values()):
        return None
    jobs: dict[str, int] = {}
    for name in min(missing.values(), key=len):
        job = _job(session, name, [host for host in open_hosts if name in missing[host.inventory.host_model]], who)
        if job is None:
            return None  # waiting for the others would not help: the plan's warnings say what is assumed
        jobs[name] = job
    session.flush()
    nf_types, job_ids = tuple(jobs), tuple(jobs.values())
    return model_waits.wait_of(session, nf_types, job_ids)


def of(session: Session, named: Mapping[str, NfType]) -> set[str]:
    """Registered ones of these types that are not profiled on every host model of the fleet."""
    registered = {name for name, nf_type in named.items() if nf_type.implementation is not None}
    if not registered:
        return set()
    host_models = sorted({host.host_model for host in hosts.inventories_by_kind(session)})
    known = in_use.known(session, host_models)
    return {name for name in registered if any((model, name) not in known for model in host_models)}


def _open_hosts(found: Iterable[HostSnapshot], spec: ChainSpec) -> list[HostSnapshot]:
    """Hosts the chain may go to, as the engine sees it: those of the first choice where it names none."""
    up = [host for host in found if host.status is HostStatus.UP]
    ends = {spec.ingress.host, spec.egress.host} - {None}
    if ends:
        return [host for host in up if ends == {host.inventory.host_id}]
    first = min((host.inventory.order_of_choice for host in up), default=0)
    return [host for host in up if host.inventory.order_of_choice == first]


def _job(session: Session, nf_type: str, among: Sequence[HostSnapshot], who: Principal) -> int | None:
    """An open profiling job of the type on hosts of these models, or a new one on the least busy host that can, and
    of which a model may come."""
    row = ProfilingJobRow
    is_open = row.state.not_in([state.value for state in FINAL_JOB_STATES])
    models = {host.inventory.host_model for host in among}
    query = select(row.id).where(row.nf_type == nf_type, row.host_model.in_(models), is_open)
    found = session.scalar(query.order_by(row.id).limit(1))
    if found is not None:
        return found
    busy = Counter(session.scalars(select(row.host_id).where(is_open)))
    able = [host for host in among if host.inventory.why_not(PROFILING) is None]
    for host in sorted(able, key=lambda one: (busy[one.inventory.host_id], _nfs(one), one.inventory.host_id)):
        ask = ProfilingAsk(nf_type=nf_type, host=host.inventory.host_id)
        try:
            if profiling.design(session, ask).no_model is None:
                return profiling.start(session, ask, who).id
        except SextantError:  # no free cores, no files of its: another host may do
            continue
    return None


def _nfs(host: HostSnapshot) -> int:
    return sum(len(chain.nfs) for chain in host.content.chains)
