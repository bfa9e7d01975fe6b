"""The catalogue and the placed NFs with their latest figures."""

from collections.abc import Collection, Sequence

from sextant_domain.chains.nf import NfType
from sextant_domain.console.views import NfView, Page
from sextant_domain.hosts.telemetry import NfSample
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.nfs import repository, types
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.telemetry import repository as telemetry


def nf_types(session: Session, asked: Paging, implementation: str | None, search: str | None) -> Page[NfType]:
    """A page of the catalogue: what one program runs for, with `search` in the name. It has few hundred types at
    most, of which the built-in ones are in no table: it is sorted in memory."""
    found = (
        nf_type
        for nf_type in types.every(session)
        if (implementation is None or implementation == nf_type.runs)
        and (search is None or search.lower() in nf_type.name)
    )
    return types.ORDER.page(found, asked)


def nf_type(session: Session, name: str) -> NfType:
    """One entry of the catalogue; raises NotFound with the names of the built-in ones."""
    found = types.named(session, [name]).get(name)
    if found is None:
        has = f"the catalogue has {', '.join(BY_NAME)}, and what was registered"
        raise NotFound(f"There is no NF type {name}; {has} (sextant nf-types list).")
    return found


def page(session: Session, asked: Paging, host: str | None, chain: str | None, nf_type: str | None) -> Page[NfView]:
    """A page of the placed NFs."""
    found = repository.page(session, asked, host=host, chain=chain, nf_type=nf_type)
    return found.page(_views(session, found.rows))


def one(session: Session, nf_id: str) -> NfView:
    """One placed NF; raises NotFound."""
    row = repository.one(session, nf_id)
    if row is None:
        raise NotFound(f"No NF {nf_id} is placed; `sextant nfs` lists those that are.")
    return _views(session, [row])[0]


def of_host(session: Session, host: str) -> tuple[NfView, ...]:
    """Every NF of a host."""
    return by_host(session, [host])[host]


def by_host(session: Session, hosts: Collection[str]) -> dict[str, tuple[NfView, ...]]:
    """Every NF of each of these hosts; of one that has none, nothing."""
    found: dict[str, list[NfView]] = {host: [] for host in hosts}
    for nf in _views(session, repository.of_hosts(session, hosts)):
        found[nf.seat.host].append(nf)
    return {host: tuple(nfs) for host, nfs in found.items()}


def every(session: Session) -> tuple[NfView, ...]:
    """Every NF of the fleet: for the snapshot of the event stream."""
    return _views(session, repository.every(session))


def _views(session: Session, rows: Sequence[PlacedNfRow]) -> tuple[NfView, ...]:
    samples = telemetry.latest_nfs(session, {row.host_id for row in rows})
    paused = repository.paused(session, (row.chain for row in rows))
    short = types.short_names(session, (row.nf_type for row in rows))
    return tuple(
        _view(row, short[row.nf_type], samples.get((row.nf_id, row.host_id)), row.chain in paused) for row in rows
    )


def _view(row: PlacedNfRow, short_name: str, sample: NfSample | None, paused: bool) -> NfView:
    return NfView(
        nf_id=row.nf_id,
        chain=row.chain,
        position=row.position,
        nf_type=row.nf_type,
        nf_version=row.nf_version,
        short_name=short_name,
        seat=row.seat(),
        actual_core=sample.core if sample else None,
        state=sample.state if sample else None,
        restarts=sample.restarts if sample else 0,
        paused=paused,
        plan_id=row.plan_id,
        since=row.since,
        sample=sample,
    )
