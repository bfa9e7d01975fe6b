"""Raw samples are packed by hand for COPY: each field is in its column as it was reported, in four-byte floats."""

import struct
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from console_world import a_batch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sextant_backend.modules.telemetry import bulk_copy, partitions, structs
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text
from sqlalchemy.orm import Session

AT = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=timezone(timedelta(hours=-5)))
"""By a clock of another zone: it is the next day already in UTC."""
MOST = 3.4e38
TABLES = ("nf_samples", "chain_samples", "core_samples", "hop_samples")
FIGURES = st.one_of(st.floats(0, 1e9), st.sampled_from([0.0, 0.1, 3.3e38, 3.5e38, 1e300]))
MAYBE = st.one_of(st.none(), FIGURES)
PERCENT = st.one_of(st.none(), st.floats(0, 100))


def four_bytes(figure: float | None) -> float | None:
    """As a column of reals holds it."""
    return None if figure is None else struct.unpack("f", struct.pack("f", min(figure, MOST)))[0]


@st.composite
def nf_samples(draw: st.DrawFn) -> dict[str, Any]:
    rates = {name: draw(FIGURES) for name in ("rx_mpps", "tx_mpps", "drop_mpps", "filtered_mpps")}
    shares = ("ring_used_percent", "utilisation_percent", "utilisation_low_percent")
    return {
        **rates,
        **{name: draw(PERCENT) for name in shares},
        "cpu_percent": draw(MAYBE),
        "cycles_per_packet": draw(MAYBE),
        "headroom_mpps": draw(st.one_of(st.none(), st.floats(0, 1e6))),
        "core": draw(st.integers(0, 1_000_000)),
    }


@st.composite
def chain_samples(draw: st.DrawFn) -> dict[str, Any]:
    rates = {name: draw(FIGURES) for name in ("offered_mpps", "delivered_mpps", "drop_mpps", "filtered_mpps")}
    others = {name: draw(MAYBE) for name in ("p50_us", "p95_us", "p99_us", "p999_us", "delivered_gbps")}
    return {**rates, **others, "paused": draw(st.booleans())}


@st.composite
def hops(draw: st.DrawFn) -> dict[str, Any]:
    times = {name: draw(st.one_of(st.none(), st.floats(0, 1e7))) for name in ("latency_us", "p95_us", "most_us")}
    waits = {"waits_us": draw(st.one_of(st.none(), st.floats(0, 1e7)))}
    nf = {"nf_id": draw(st.sampled_from([None, "web.router"]))}
    return {**nf, **times, **waits, "queue_packets": draw(st.one_of(st.none(), st.integers(0, 65_535)))}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(nf_samples(), max_size=3),
    st.lists(chain_samples(), max_size=3),
    st.lists(st.floats(0, 100), max_size=4),
    st.sampled_from(Provenance),
    st.lists(hops(), max_size=3),
)
def test_every_field_is_in_its_column(
    session: Session,
    edge: HostInventory,
    nfs: list[dict[str, Any]],
    chains: list[dict[str, Any]],
    busy: list[float],
    provenance: Provenance,
    path: list[dict[str, Any]],
) -> None:
    partitions.ensure(AT)  # by a connection of its own, before this one has touched a table of samples
    for table in TABLES:
        session.execute(text(f"DELETE FROM {table}"))
    batch = a_batch(
        provenance=provenance,
        nfs=[{"nf_id": f"c{number}.nf", "chain": f"c{number}", **one} for number, one in enumerate(nfs)],
        chains=[
            {"chain": f"c{number}", **one, "path": [{"device": f"d{at}", **hop} for at, hop in enumerate(path)]}
            for number, one in enumerate(chains[:1])
        ]
        + [{"chain": f"c{number}", **one} for number, one in enumerate(chains) if number > 0],
        cores=[{"core": 7 * number, "busy_percent": one} for number, one in enumerate(busy)],
    )
    bulk_copy.store(session, [(structs.of(batch), AT)])
    same = {"ts": AT, "host_id": "edge-1", "simulated": provenance is not Provenance.MEASURED}
    found = {
        table: [_reals(dict(row)) for row in session.execute(text(f"SELECT * FROM {table} ORDER BY 3, 4")).mappings()]
        for table in TABLES
    }
    assert found["nf_samples"] == [{**same, "nf_id": f"c{number}.nf", **_reals(one)} for number, one in enumerate(nfs)]
    assert found["chain_samples"] == [
        {**same, "chain": f"c{number}", **_reals(one)} for number, one in enumerate(chains)
    ]
    cores = {"cores": [7 * number for number in range(len(busy))], "busy_percent": busy}
    assert found["hop_samples"] == [
        {**same, "chain": "c0", "position": at, "device": f"d{at}", **_reals(_as_kept(hop))}
        for at, hop in enumerate(path if chains else [])
    ]
    assert found["core_samples"] == ([_reals({**same, **cores})] if busy else [])


def _as_kept(hop: dict[str, Any]) -> dict[str, Any]:
    """The device itself has no NF's name; packets are counted in reals."""
    packets = hop["queue_packets"]
    return {**hop, "nf_id": hop["nf_id"] or "", "queue_packets": None if packets is None else float(packets)}


def _reals(sample: dict[str, Any]) -> dict[str, Any]:
    """PostgreSQL writes a real as shortly as tells it from all others: 0.1 for the one that is nearest to it."""
    return {
        name: [four_bytes(one) for one in value]
        if name == "busy_percent"
        else (four_bytes(value) if isinstance(value, float) else value)
        for name, value in sample.items()
    }


@pytest.mark.parametrize("at", [datetime(1999, 12, 31, tzinfo=UTC), datetime(2000, 1, 1, 0, 0, 0, 1, tzinfo=UTC)])
def test_moments_are_counted_from_the_year_2000(session: Session, edge: HostInventory, at: datetime) -> None:
    partitions.ensure(at)
    bulk_copy.store(session, [(structs.of(a_batch()), at)])
    assert session.execute(text("SELECT ts FROM chain_samples")).scalar_one() == at
