"""Queries of chains and placed NFs."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any

from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.part import MAX_FLEET_TAG, MIN_FLEET_TAG
from sextant_domain.chains.scaling import lanes_among
from sqlalchemy import ARRAY, Integer, Text, cast, delete, exists, func, or_, select, text, type_coerce
from sqlalchemy.dialects.postgresql import JSONB, JSONPATH, distinct_on, insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.telemetry.models import LatestChain, LatestHost

GROUP = ChainRow.spec["anti_affinity"]["group"].astext
"""The anti-affinity group of a chain."""
HAS_TIES = ChainRow.spec["nfs"].path_exists("$[*].tied")
"""Whether an NF of a chain names a tie."""
LANE_OF = ChainRow.spec["traffic"]["lane"]["of"].astext
"""The chain that it is a lane of."""

PART_OF = ChainRow.spec["part"]["of"].astext
"""The chain over several hosts that it is a part of."""
TAG = ChainRow.spec["part"]["tag"].astext
_GIVING_TAGS = text("SELECT pg_advisory_xact_lock(hashtext('sextant.path_tags'))")

ORDER = Order(
    "name",
    "name",
    name=ChainRow.name,
    state=ChainRow.state,
    created_at=ChainRow.created_at,
    created_by=ChainRow.created_by,
)


def add(session: Session, spec: ChainSpec, created_by: str) -> bool:
    """Store a new chain; False where there is one of its name."""
    stored = (
        insert(ChainRow)
        .values(name=spec.name, spec=spec.model_dump(mode="json"), created_by=created_by)
        .on_conflict_do_nothing()
        .returning(ChainRow.id)
    )
    return session.execute(stored).first() is not None


def add_all(session: Session, specs: Sequence[ChainSpec], created_by: str) -> set[str]:
    """Store new chains; the names of those that were stored, without those of which there is one."""
    rows = [{"name": spec.name, "spec": spec.model_dump(mode="json"), "created_by": created_by} for spec in specs]
    stored = insert(ChainRow).values(rows).on_conflict_do_nothing().returning(ChainRow.name)
    return set(session.scalars(stored))


def living_names(session: Session, names: Iterable[str]) -> set[str]:
    """Of these names, those of chains that are not deleted."""
    query = select(ChainRow.name).where(ChainRow.name.in_(list(names)), ChainRow.deleted_at.is_(None))
    return set(session.scalars(query))


def living(session: Session, name: str, *, lock: bool = False) -> ChainRow | None:
    """The chain of that name that is not deleted."""
    query = select(ChainRow).where(ChainRow.name == name, ChainRow.deleted_at.is_(None))
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def living_of(session: Session, names: Iterable[str]) -> Sequence[ChainRow]:
    """The living chains of those names, locked in the order of their names."""
    query = select(ChainRow).where(ChainRow.name.in_(list(names)), ChainRow.deleted_at.is_(None))
    return session.scalars(query.order_by(ChainRow.name).with_for_update()).all()


def all_living(session: Session) -> Sequence[ChainRow]:
    """Every chain, by name."""
    return session.scalars(select(ChainRow).where(ChainRow.deleted_at.is_(None)).order_by(ChainRow.name)).all()


def specs(session: Session, names: Iterable[str]) -> tuple[ChainSpec, ...]:
    """What these chains ask for, those of them that live, by name."""
    query = select(ChainRow.spec).where(ChainRow.deleted_at.is_(None), ChainRow.name.in_(list(names)))
    return tuple(ChainSpec.model_validate(spec) for spec in session.scalars(query.order_by(ChainRow.name)))


def ends_named(session: Session, names: Iterable[str]) -> dict[str, tuple[str | None, str | None]]:
    """Of these chains, the living ones that name a host where their packets arrive or leave: both, as they were asked
    for. In an order every end has a host."""
    ends = (ChainRow.spec["ingress"]["host"].astext, ChainRow.spec["egress"]["host"].astext)
    query = select(ChainRow.name, *ends).where(ChainRow.deleted_at.is_(None), ChainRow.name.in_(list(names)))
    query = query.where(or_(*(end.is_not(None) for end in ends)))
    return {name: (ingress, egress) for name, ingress, egress in session.execute(query)}


def page(
    session: Session,
    asked: Paging,
    *,
    state: str | None,
    host: str | None,
    nf_type: str | None,
    anti_affinity: str | None,
    lane_of: str | None,
    part_of: str | None,
    tie: str | None,
    search: str | None,
) -> Found[ChainRow]:
    """A page of chains: in one state, with an NF placed on one host, of one NF type, of one anti-affinity group, the
    lanes or the parts of one chain, with an NF of one tie, with `search` in the name."""
    row, nf = ChainRow, PlacedNfRow
    query = select(row).where(row.deleted_at.is_(None), *equal({row.state: state}), *contains(row.name, search))
    if host is not None:
        query = query.where(exists().where(nf.chain == row.name, nf.host_id == host))
    if nf_type is not None:
        query = query.where(row.spec["nfs"].contains([{"type": nf_type}]))
    if anti_affinity is not None:
        query = query.where(anti_affinity == GROUP)
    if lane_of is not None:
        query = query.where(lane_of == LANE_OF)
    if part_of is not None:
        query = query.where(part_of == PART_OF)
    if tie is not None:
        query = query.where(row.spec["nfs"].contains([{"tied": tie}]))
    return ORDER.read(session, query, asked)


def lanes_of(session: Session, chain: str) -> tuple[ChainSpec, ...]:
    """What the lanes of a chain ask for, by number, with all parts of the first; itself alone where it is in none,
    nothing where there is none."""
    named = or_(ChainRow.name == chain, chain == LANE_OF, chain == PART_OF)
    query = select(ChainRow.spec).where(ChainRow.deleted_at.is_(None), named)
    return lanes_among((ChainSpec.model_validate(spec) for spec in session.scalars(query)), chain)


def lanes_gone(session: Session, names: Iterable[str]) -> set[str]:
    """Of these names that no chain has any more, those whose last chain was a further lane of one."""
    wanted = set(names)
    wanted -= living_names(session, wanted)
    query = select(ChainRow.spec).ext(distinct_on(ChainRow.name)).where(ChainRow.name.in_(wanted))
    query = query.order_by(ChainRow.name, ChainRow.deleted_at.desc())
    return {spec.name for spec in _further_lanes(session.scalars(query))}


def lanes_taken(session: Session, operation_id: int, names: Iterable[str]) -> tuple[ChainSpec, ...]:
    """Of these names that no chain has any more, the further lanes that this operation took away: what each asked for
    when it went, whoever had its name afterwards."""
    wanted = set(names)
    wanted -= living_names(session, wanted)
    query = select(ChainRow.spec).where(ChainRow.name.in_(wanted), ChainRow.operation_id == operation_id)
    return _further_lanes(session.scalars(query.order_by(ChainRow.name)))


def _further_lanes(stored: Iterable[dict[str, Any]]) -> tuple[ChainSpec, ...]:
    found = (ChainSpec.model_validate(spec) for spec in stored)
    return tuple(spec for spec in found if spec.traffic.lane is not None and spec.traffic.lane.number > 1)


def free_tags(session: Session, count: int) -> list[int]:
    """The lowest tags that no chain over several hosts has, as many as there are up to `count`. Others wait with theirs
    until this transaction ends."""
    session.execute(_GIVING_TAGS)
    taken = set(session.scalars(select(cast(TAG, Integer)).where(ChainRow.deleted_at.is_(None), TAG.is_not(None))))
    free = (tag for tag in range(MIN_FLEET_TAG, MAX_FLEET_TAG + 1) if tag not in taken)
    return list(islice(free, count))


def groups_of(session: Session, chains: Iterable[str]) -> dict[str, AntiAffinity]:
    """Of those chains, the living ones that have an anti-affinity group."""
    query = select(ChainRow.name, ChainRow.spec["anti_affinity"])
    query = query.where(ChainRow.name.in_(list(chains)), ChainRow.deleted_at.is_(None), GROUP.is_not(None))
    return {name: AntiAffinity.model_validate(group) for name, group in session.execute(query)}


def placed_with_groups(session: Session, hosts: Iterable[str]) -> dict[str, dict[str, set[int]]]:
    """By host, the chains placed there that have an anti-affinity group, with the nodes of each."""
    nf = PlacedNfRow
    query = select(nf.host_id, nf.chain, nf.node).distinct().join(ChainRow, ChainRow.name == nf.chain)
    query = query.where(nf.host_id.in_(list(hosts)), ChainRow.deleted_at.is_(None), GROUP.is_not(None))
    found: dict[str, dict[str, set[int]]] = {}
    for host, chain, node in session.execute(query):
        found.setdefault(host, {}).setdefault(chain, set()).add(node)
    return found


def tied_specs(session: Session, ties: Iterable[str]) -> tuple[ChainSpec, ...]:
    """What the living chains ask for of which an NF names one of these ties, by name."""
    named = sorted(set(ties))
    if not named:
        return ()
    names = type_coerce(func.jsonb_path_query_array(ChainRow.spec["nfs"], cast("$[*].tied", JSONPATH)), JSONB)
    query = select(ChainRow.spec).where(ChainRow.deleted_at.is_(None), names.has_any(cast(named, ARRAY(Text))))
    query = query.order_by(ChainRow.name)
    return tuple(ChainSpec.model_validate(spec) for spec in session.scalars(query))


def placed_with_ties(session: Session, hosts: Iterable[str]) -> list[tuple[PlacedNfRow, str]]:
    """The NFs placed on these hosts that name a tie, by id, and their ties."""
    nf = PlacedNfRow
    query = select(nf, ChainRow.spec["nfs"][nf.position]["tied"].astext).join(ChainRow, ChainRow.name == nf.chain)
    query = query.where(nf.host_id.in_(list(hosts)), ChainRow.deleted_at.is_(None), HAS_TIES).order_by(nf.nf_id)
    return [(placed, tie) for placed, tie in session.execute(query) if tie is not None]


def placed_nfs(session: Session, host: str | None = None, chain: str | None = None) -> Sequence[PlacedNfRow]:
    """Placed NFs by chain and position; of one host or chain where named."""
    query = select(PlacedNfRow).order_by(PlacedNfRow.chain, PlacedNfRow.position)
    if host is not None:
        query = query.where(PlacedNfRow.host_id == host)
    if chain is not None:
        query = query.where(PlacedNfRow.chain == chain)
    return session.scalars(query).all()


def hosts_of(session: Session, *chains: str) -> list[str]:
    """The hosts where NFs of the chains are placed, by id."""
    query = select(PlacedNfRow.host_id).where(PlacedNfRow.chain.in_(chains)).distinct()
    return sorted(session.scalars(query))


def placed_of(session: Session, chains: Iterable[str]) -> dict[str, list[PlacedNfRow]]:
    """Placed NFs of those chains, by chain."""
    query = select(PlacedNfRow).where(PlacedNfRow.chain.in_(list(chains))).order_by(PlacedNfRow.position)
    found: dict[str, list[PlacedNfRow]] = {}
    for row in session.scalars(query):
        found.setdefault(row.chain, []).append(row)
    return found


def remove_placed(session: Session, host: str, keep: Iterable[str]) -> None:
    """Forget the NFs of a host that are not in `keep`."""
    stale = delete(PlacedNfRow).where(PlacedNfRow.host_id == host, PlacedNfRow.nf_id.not_in(list(keep)))
    session.execute(stale.execution_options(synchronize_session=False))


def samples_of(session: Session, chains: Iterable[str]) -> dict[str, LatestChain]:
    """The newest sample of each chain (of the host that reported last)."""
    query = select(LatestChain).where(LatestChain.chain.in_(list(chains))).order_by(LatestChain.taken_at)
    return {row.chain: row for row in session.scalars(query)}


def fresh(session: Session, chains: Iterable[str], seconds: float) -> set[str]:
    """Those of the chains whose newest sample was heard within so many seconds, by the database's clock."""
    query = (
        select(LatestChain.chain)
        .join(LatestHost, LatestHost.host_id == LatestChain.host_id)
        .where(
            LatestChain.chain.in_(list(chains)),
            LatestHost.heard_at > func.clock_timestamp() - timedelta(seconds=seconds),
        )
    )
    return set(session.scalars(query))
