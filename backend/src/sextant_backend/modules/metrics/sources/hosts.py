"""Hosts: their state, what of them is used, and what their counters measure."""

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostStatus
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.metrics.sources.fresh import PROVENANCE, fresh

MOST_TEXT = 100
"""Characters of a label that an agent's own words become."""
REVOKED = "revoked"
STATUSES = (*(status.value for status in HostStatus), REVOKED)
"""A host whose certificates are revoked is silent because somebody wants it."""
_HOST, _NODE = ("host", "provenance"), ("host", "node", "provenance")


def _family(name: str, unit: str, meaning: str, *more: str, group: Group = Group.HOST) -> Family:
    return Family(f"sextant_host_{name}", unit, (*_HOST, *more), meaning, group)


INFO = _family("info", "1", "Always 1: what the host is", "host_model", "driver", "agent_version")
STATUS = _family(
    "status",
    "0 or 1",
    "1 for the status that the host has, 0 for every other; `revoked`: it may not report, since its certificates are",
    "status",
)
REPORTED = _family(
    "last_report_timestamp_seconds", "s", "When the host was last heard, by the database's clock; none before the first"
)
CORDONED = _family("cordoned", "0 or 1", "1 while no NF may start or move there")
MAINTENANCE = _family("in_maintenance", "0 or 1", "1 while a maintenance window covers the host: control laws rest")
CONVERGED = _family("converged", "0 or 1", "1 where the host runs its newest order; none while it is silent")
CORES = _family("cores", "cores", "Cores by use: with NFs, reserved, or free", "use")
BUSY = _family("busy_cores", "cores", "Sum over cores of the share of time that each is busy; none while silent")
DELIVERED = _family(
    "delivered_packets_per_second", "packets/s", "What all its chains deliver together; none while silent"
)
MEMORY = Family(
    "sextant_host_memory_bandwidth_bytes_per_second",
    "bytes/s",
    _NODE,
    "Read and written at the memory controllers of a NUMA node; none while silent, or without counters",
    Group.HOST,
)
MEMORY_LOAD = Family(
    "sextant_host_memory_load_ratio",
    "ratio",
    _NODE,
    "That bandwidth over what the controllers can do at most",
    Group.HOST,
)
LINK_LOAD = Family(
    "sextant_host_link_load_ratio",
    "ratio",
    _NODE,
    "Load of a NUMA node's link to other nodes, in its busier direction",
    Group.HOST,
)
HOSTS = Family("sextant_hosts", "hosts", ("status", "provenance"), "Enrolled hosts", Group.FLEET)
HOSTS_CORDONED = Family("sextant_hosts_cordoned", "hosts", (), "Hosts on which no NF may start or move", Group.FLEET)

FAMILIES = (
    *(HOSTS, HOSTS_CORDONED, INFO, STATUS, REPORTED, CORDONED, MAINTENANCE, CONVERGED, CORES, BUSY, DELIVERED),
    *(MEMORY, MEMORY_LOAD, LINK_LOAD),
)

_HOSTS = text(
    f"""
    SELECT h.host_id, CASE WHEN h.revoked_at IS NULL THEN h.status ELSE :revoked END AS status,
        h.cordoned_at IS NOT NULL AS cordoned, {PROVENANCE} AS provenance,
        inventory.host_model, inventory.driver, inventory.agent_version,
        extract(epoch FROM l.heard_at) AS heard_at,
        h.host_id = ANY(w.hosts) OR w.fleet AS resting,
        h.desired_generation = l.applied_generation AND l.phase = 'converged' AS converged,
        inventory.cores, inventory.reserved, coalesce(seats.used, 0) AS used,
        {fresh("l.taken_at")} AS fresh, l.throughput_mpps, measured.busy
    FROM hosts h LEFT JOIN latest_hosts l ON l.host_id = h.host_id
    LEFT JOIN (SELECT host_id, count(DISTINCT core) AS used FROM placed_nfs GROUP BY host_id) seats
        ON seats.host_id = h.host_id
    CROSS JOIN (
        SELECT coalesce(array_agg(host_id) FILTER (WHERE host_id IS NOT NULL), '{{}}') AS hosts,
            coalesce(bool_or(host_id IS NULL), false) AS fleet
        FROM maintenance_windows WHERE starts_at <= now() AND ends_at > now()
    ) w
    CROSS JOIN LATERAL (
        SELECT coalesce(i.host_model, '') AS host_model, coalesce(i.driver, '') AS driver,
            coalesce(i.agent_version, '') AS agent_version, coalesce(jsonb_array_length(i.cores), 0) AS cores,
            coalesce(jsonb_array_length(jsonb_path_query_array(i.cores, '$[*].reserved_for ? (@ != null)')), 0)
                AS reserved
        FROM jsonb_to_record(h.inventory) AS i(host_model text, driver text, agent_version text, cores jsonb)
    ) inventory
    CROSS JOIN LATERAL (
        SELECT sum(CAST(c->>'busy_percent' AS float)) / 100 AS busy FROM json_array_elements(CAST(l.cores AS json)) c
    ) measured
    ORDER BY h.host_id
    """  # noqa: S608
)
_NODES = text(
    f"""
    SELECT l.host_id, n->>'node' AS node, l.provenance,
        CAST(n->>'memory_bytes_per_s' AS float) AS memory,
        CAST(n->>'memory_load_percent' AS float) / 100 AS memory_load,
        CAST(n->>'link_load_percent' AS float) / 100 AS link_load
    FROM latest_hosts l CROSS JOIN LATERAL jsonb_array_elements(l.nodes) n
    WHERE {fresh("l.taken_at")}
    ORDER BY l.host_id, 2
    """  # noqa: S608
)


def collect(session: Session, found: Found) -> None:
    """Two statements."""
    counts = {(one, kind): 0 for kind in (Provenance.MEASURED.value, Provenance.SIMULATED.value) for one in STATUSES}
    cordoned = 0
    for row in session.execute(_HOSTS, {"revoked": REVOKED}):
        host = (row.host_id, row.provenance)
        counts[row.status, row.provenance] += 1
        cordoned += row.cordoned
        found.add(INFO, 1, *host, row.host_model[:MOST_TEXT], row.driver[:MOST_TEXT], row.agent_version[:MOST_TEXT])
        for one in STATUSES:
            found.add(STATUS, row.status == one, *host, one)
        found.add(REPORTED, row.heard_at, *host)
        found.add(CORDONED, row.cordoned, *host)
        found.add(MAINTENANCE, row.resting, *host)
        used = min(row.used, row.cores - row.reserved)
        for use, number in (("nf", used), ("reserved", row.reserved), ("free", row.cores - row.reserved - used)):
            found.add(CORES, number, *host, use)
        if row.fresh:
            found.add(CONVERGED, row.converged, *host)
            found.add(BUSY, row.busy, *host)
            found.add(DELIVERED, None if row.throughput_mpps is None else row.throughput_mpps * 1e6, *host)
    for (status, provenance), number in counts.items():
        found.add(HOSTS, number, status, provenance)
    found.add(HOSTS_CORDONED, cordoned)
    for row in session.execute(_NODES):
        node = (row.host_id, row.node, row.provenance)
        found.add(MEMORY, row.memory, *node)
        found.add(MEMORY_LOAD, row.memory_load, *node)
        found.add(LINK_LOAD, row.link_load, *node)
