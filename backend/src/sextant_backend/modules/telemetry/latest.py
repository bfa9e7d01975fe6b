"""The newest samples take the place of those before them.

Samples are stored as the text they are made into here, which PostgreSQL never looks into before somebody reads them:
JSON that it parses, checks and turns into its own form is most of what it would do (decision 115).
"""

from collections.abc import Collection, Mapping
from datetime import datetime

import msgspec
from sextant_domain.hosts.telemetry import TelemetryBatch
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.telemetry.repository import HeldHost
from sextant_backend.modules.telemetry.text_lists import TextList
from sextant_backend.modules.telemetry.texts import BatchText

_HEARD = text("UPDATE latest_hosts SET heard_at = :now WHERE host_id = ANY(:host_ids)")
_FORGET_CHAINS = text(
    """
    DELETE FROM latest_chains l USING unnest(CAST(:hosts AS text[])) AS host
    WHERE l.host_id = host AND NOT (l.host_id, l.chain) IN (
        SELECT * FROM unnest(CAST(:hosts_of_chains AS text[]), CAST(:chains AS text[]))
    )
    """
)
_REPLACE = """
    WITH hosts AS MATERIALIZED (
        SELECT * FROM json_to_recordset(CAST(%(hosts)s AS json)) AS host(
            host_id text, epoch text, sequence bigint, previous_epoch text, previous_sequence bigint,
            taken_at timestamptz, applied_generation int, rolled_until timestamptz, other_work text, provenance text,
            phase text, throughput_mpps float8, chains text[]
        )
    ),
    texts AS MATERIALIZED (
        SELECT * FROM unnest(%(host_ids)b::text[], %(nfs)b::text[], %(cores)b::text[], %(nodes)b::text[])
            AS one(host_id, nfs, cores, nodes)
    ),
    of_hosts AS (
        UPDATE latest_hosts l SET heard_at = %(now)s, epoch = h.epoch, sequence = h.sequence,
            previous_epoch = h.previous_epoch, previous_sequence = h.previous_sequence, taken_at = h.taken_at,
            applied_generation = h.applied_generation, rolled_until = h.rolled_until, other_work = h.other_work,
            provenance = h.provenance, phase = h.phase, throughput_mpps = h.throughput_mpps, chains = h.chains,
            cores = t.cores, nodes = CAST(t.nodes AS jsonb)
        FROM hosts h JOIN texts t USING (host_id) WHERE l.host_id = h.host_id
    ),
    of_chains AS (
        INSERT INTO latest_chains (chain, host_id, taken_at, provenance, sample)
        SELECT c.chain, c.host_id, h.taken_at, h.provenance, c.sample
        FROM unnest(%(chains)b::text[], %(hosts_of_chains)b::text[], %(samples)b::text[]) AS c(chain, host_id, sample)
            JOIN hosts h USING (host_id)
        ON CONFLICT (chain, host_id) DO UPDATE
        SET taken_at = excluded.taken_at, provenance = excluded.provenance, sample = excluded.sample
    ),
    gone_controls AS (
        DELETE FROM host_controls WHERE host_id = ANY(%(uncontrolled)b::text[])
    )
    INSERT INTO latest_nfs (host_id, taken_at, samples)
    SELECT h.host_id, h.taken_at, t.nfs FROM hosts h JOIN texts t USING (host_id)
    ON CONFLICT (host_id) DO UPDATE SET taken_at = excluded.taken_at, samples = excluded.samples
"""
"""The driver's own placeholders: `%b` sends texts as they are, so that neither side escapes what JSON quotes."""
_REPLACE_CONTROLS = text(
    """
    INSERT INTO host_controls (host_id, at, controls, transfers, shared_cores, bounded_nfs, quota_changes, way_changes)
    SELECT * FROM json_to_recordset(CAST(:said AS json)) AS one(
        host_id text, at timestamptz, controls jsonb, transfers jsonb, shared_cores jsonb,
        bounded_nfs jsonb, quota_changes jsonb, way_changes jsonb
    )
    ON CONFLICT (host_id) DO UPDATE
    SET at = excluded.at, controls = excluded.controls, transfers = excluded.transfers,
        shared_cores = excluded.shared_cores, bounded_nfs = excluded.bounded_nfs,
        quota_changes = excluded.quota_changes, way_changes = excluded.way_changes
    WHERE (
            host_controls.controls, host_controls.transfers, host_controls.shared_cores,
            host_controls.bounded_nfs, host_controls.quota_changes, host_controls.way_changes
        ) IS DISTINCT FROM (
            excluded.controls, excluded.transfers, excluded.shared_cores,
            excluded.bounded_nfs, excluded.quota_changes, excluded.way_changes
        )
    """
)
_encoded = msgspec.json.Encoder().encode


def replace(
    session: Session,
    now: datetime,
    held: Mapping[str, HeldHost],
    newest: Mapping[str, tuple[TelemetryBatch, BatchText]],
) -> None:
    """Note that the hosts were heard `now`. Of those that said something new (`newest`: their newest batch) it is the
    latest from now on, and chains and NFs that it does not name are forgotten."""
    if repeated := [host_id for host_id in held if host_id not in newest]:
        session.execute(_HEARD, {"now": now, "host_ids": repeated})
    if not newest:
        return
    _forget_chains(session, [held[host_id] for host_id in newest])
    controlled = {host_id: batch for host_id, (batch, _) in newest.items() if _is_controlled(batch)}
    texts = [one for _, one in newest.values()]
    parts = {
        "hosts": _encoded([held[host_id] for host_id in newest]).decode(),
        "host_ids": TextList.of(newest),
        "nfs": TextList(one.nfs for one in texts),
        "cores": TextList(one.cores for one in texts),
        "nodes": TextList(one.nodes for one in texts),
        "chains": TextList.of(chain for host_id in newest for chain in held[host_id].chains),
        "hosts_of_chains": TextList.of(host_id for host_id in newest for _ in held[host_id].chains),
        "samples": TextList(sample for one in texts for sample in one.chains),
        "uncontrolled": TextList.of(host_id for host_id in newest if host_id not in controlled),
    }
    session.connection().exec_driver_sql(_REPLACE, {"now": now, **parts})
    if controlled:
        said = [_controls(batch, held[host_id].taken_at) for host_id, batch in controlled.items()]
        session.execute(_REPLACE_CONTROLS, {"said": _encoded(said).decode()})


def _forget_chains(session: Session, hosts: Collection[HeldHost]) -> None:
    """Seldom: nearly all batches name the chains that the one before named."""
    changed = [host for host in hosts if host.known_chains != host.chains]
    if changed:
        named = [(host.host_id, chain) for host in changed for chain in host.chains]
        asked = {
            "hosts": [host.host_id for host in changed],
            "hosts_of_chains": [host_id for host_id, _ in named],
            "chains": [chain for _, chain in named],
        }
        session.execute(_FORGET_CHAINS, asked)


def _is_controlled(batch: TelemetryBatch) -> bool:
    return bool(batch.controls or batch.shared_cores or batch.bounded_nfs or batch.way_changes)


def _controls(batch: TelemetryBatch, at: datetime | None) -> dict[str, object]:
    names = ("controls", "transfers", "shared_cores", "bounded_nfs", "quota_changes", "way_changes")
    return {"host_id": batch.host_id, "at": at, **{name: getattr(batch, name) for name in names}}
