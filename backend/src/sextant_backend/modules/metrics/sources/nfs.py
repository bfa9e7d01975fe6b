"""NFs: where each stands, and what it takes in, passes on and loses. Names and meanings are those of agents' metrics
where these have the same."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.metrics.sources.fresh import PROVENANCE, fresh

_NF = ("nf", "chain", "host", "provenance")


def _family(name: str, unit: str, meaning: str) -> Family:
    return Family(f"sextant_nf_{name}", unit, _NF, f"{meaning}; none while its host is silent", Group.NF)


INFO = Family(
    "sextant_nf_info",
    "1",
    (*_NF, "type", "node", "core"),
    "Always 1: the type of the NF, and the NUMA node and core that it was ordered to",
    Group.NF,
)
RECEIVED = _family("received_packets_per_second", "packets/s", "What it takes in")
SENT = _family("sent_packets_per_second", "packets/s", "What it passes on")
DROPPED = _family(
    "dropped_packets_per_second", "packets/s", "What is lost because its ring is full or it cannot forward"
)
UTILISATION = _family(
    "utilisation_ratio", "ratio", "Share of its core's time that goes into packets, where it is known"
)
HEADROOM = _family(
    "headroom_packets_per_second", "packets/s", "What it could take more before it drops, where it is known"
)
RESTARTS = Family(
    "sextant_nf_restarts_total",
    "1",
    _NF,
    "Restarts after crashes, as its agent counts them; none while its host is silent",
    Group.NF,
    "counter",
)
NFS = Family("sextant_nfs", "NFs", (), "NFs that hosts were ordered to run", Group.FLEET)
FAMILIES = (NFS, INFO, RECEIVED, SENT, DROPPED, UTILISATION, HEADROOM, RESTARTS)

_NFS = text(
    f"""
    SELECT p.nf_id, p.chain, p.host_id, p.nf_type, p.node, p.core, {PROVENANCE} AS provenance,
        s.nf_id IS NOT NULL AND {fresh("s.taken_at")} AS fresh,
        s.rx_mpps, s.tx_mpps, s.drop_mpps, s.utilisation_percent, s.headroom_mpps, s.restarts
    FROM placed_nfs p JOIN hosts h ON h.host_id = p.host_id
        LEFT JOIN latest_hosts l ON l.host_id = p.host_id
        LEFT JOIN (
            SELECT host_id, taken_at, one.*
            FROM latest_nfs CROSS JOIN LATERAL json_to_recordset(samples) AS one(
                nf_id text, rx_mpps float, tx_mpps float, drop_mpps float, utilisation_percent float,
                headroom_mpps float, restarts bigint
            )
        ) s ON s.nf_id = p.nf_id AND s.host_id = p.host_id
    ORDER BY p.nf_id
    """  # noqa: S608
)


def collect(session: Session, found: Found) -> None:
    """One statement."""
    number = 0
    for row in session.execute(_NFS):
        number += 1
        nf = (row.nf_id, row.chain, row.host_id, row.provenance)
        found.add(INFO, 1, *nf, row.nf_type, str(row.node), str(row.core))
        if not row.fresh:
            continue
        found.add(RECEIVED, row.rx_mpps * 1e6, *nf)
        found.add(SENT, row.tx_mpps * 1e6, *nf)
        found.add(DROPPED, row.drop_mpps * 1e6, *nf)
        found.add(UTILISATION, None if row.utilisation_percent is None else row.utilisation_percent / 100, *nf)
        found.add(HEADROOM, None if row.headroom_mpps is None else row.headroom_mpps * 1e6, *nf)
        found.add(RESTARTS, row.restarts, *nf)
    found.add(NFS, number)
