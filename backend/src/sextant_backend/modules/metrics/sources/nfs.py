"""NFs: where each stands, and what it takes in, passes on and loses. Names and meanings are those of agents' metrics
where these have the same."""

from typing import Any

from pydantic_core import from_json
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Family, Found, Group, known
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

_MPPS = ((RECEIVED, "rx_mpps", 1e6), (SENT, "tx_mpps", 1e6), (DROPPED, "drop_mpps", 1e6))
_WHERE_KNOWN = ((UTILISATION, "utilisation_percent", 0.01), (HEADROOM, "headroom_mpps", 1e6))
_HOSTS = text(
    f"""
    SELECT h.host_id, {PROVENANCE} AS provenance,
        CASE WHEN {fresh("s.taken_at")} THEN s.samples ELSE '[]' END
    FROM hosts h LEFT JOIN latest_hosts l ON l.host_id = h.host_id LEFT JOIN latest_nfs s ON s.host_id = h.host_id
    """  # noqa: S608
)
_NFS = text(
    """
    SELECT p.nf_id, p.chain, p.host_id, p.nf_type, CAST(p.node AS text), CAST(p.core AS text)
    FROM placed_nfs p JOIN hosts h ON h.host_id = p.host_id ORDER BY p.nf_id
    """
)


def collect(session: Session, found: Found) -> None:
    """Two statements. The samples of a host are one JSON text, which is read here: rows of it would take longer."""
    provenances: dict[str, str] = {}
    samples: dict[tuple[str, str], dict[str, Any]] = {}
    for host, provenance, measured in session.execute(_HOSTS):
        provenances[host] = provenance
        samples |= {(one["nf_id"], host): one for one in from_json(measured)}
    info, restarts = found.of(INFO), found.of(RESTARTS)
    figures = [(found.of(family), field, factor) for family, field, factor in (*_MPPS, *_WHERE_KNOWN)]
    of_nf, of_order = known(_NF), known(INFO.labels)
    nfs = session.execute(_NFS).all()
    for name, chain, host, *ordered in nfs:
        nf = (name, chain, host, provenances[host])
        info.append((of_order[*nf, *ordered], 1.0))
        sample = samples.get((name, host))
        if sample is None:
            continue
        labels = of_nf[nf]
        for series, field, factor in figures:
            value = sample.get(field)
            if value is not None:
                series.append((labels, value * factor))
        restarts.append((labels, float(sample["restarts"])))
    found.add(NFS, len(nfs))
