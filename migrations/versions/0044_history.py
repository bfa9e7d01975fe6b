"""Samples say whether they are simulated and paused; history: rows of ten seconds up to a day.

Samples that there are, are taken for what their host reports now. What is kept of them is rolled up after the upgrade.
"""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

RAW = ("chain_samples", "nf_samples", "core_samples")
LEVELS = ("10s", "5min", "1h", "1d")
CHAIN = ("offered_mpps", "delivered_mpps", "drop_mpps", "filtered_mpps")
KINDS = {
    "chain": (
        ("chain TEXT NOT NULL",),
        CHAIN,
        ("p50_us", "p95_us", "p99_us", "p999_us", "delivered_gbps"),
        "chain, ts, host_id",
    ),
    "nf": (
        ("nf_id TEXT NOT NULL", "core INTEGER NOT NULL"),
        ("rx_mpps", "tx_mpps", "drop_mpps", "cpu_percent"),
        ("utilisation_percent",),
        "host_id, ts, nf_id, core",
    ),
    "core": (("core INTEGER NOT NULL",), ("busy_percent",), (), "host_id, ts, core"),
    "host": ((), CHAIN[:3], ("delivered_gbps",), "host_id, ts"),
}


def upgrade() -> None:
    """Add columns and tables. No sample is rewritten but those of simulated hosts."""
    for table in RAW:
        op.execute(f"ALTER TABLE {table} ADD COLUMN simulated BOOLEAN DEFAULT false NOT NULL")
        op.execute(
            f"UPDATE {table} SET simulated = true"  # noqa: S608 - one of three names
            " WHERE host_id IN (SELECT host_id FROM latest_hosts WHERE provenance <> 'measured')"
        )
    op.execute("ALTER TABLE chain_samples ADD COLUMN paused BOOLEAN DEFAULT false NOT NULL")
    start = "date_bin('10 s', clock_timestamp() - interval '310 s', timestamptz 'epoch')"
    op.execute(f"ALTER TABLE latest_hosts ADD COLUMN rolled_until timestamptz DEFAULT {start} NOT NULL")
    op.execute("UPDATE latest_hosts SET rolled_until = date_trunc('day', clock_timestamp(), 'UTC') - interval '1 day'")
    for kind in KINDS:
        for level in LEVELS:
            _create(kind, f"history_{kind}_{level}")


def _create(kind: str, name: str) -> None:
    columns, figures, optional, key = KINDS[kind]
    parts = [
        "ts timestamptz NOT NULL",
        "host_id TEXT NOT NULL",
        *columns,
        "samples INTEGER NOT NULL",
        "intervals INTEGER NOT NULL",
        "simulated BOOLEAN NOT NULL",
        *(["judged INTEGER NOT NULL", "met INTEGER NOT NULL"] if kind == "chain" else []),
    ]
    for figure in figures:
        parts += [
            f"{figure}_mean DOUBLE PRECISION NOT NULL",
            f"{figure}_min REAL NOT NULL",
            f"{figure}_max REAL NOT NULL",
        ]
    for figure in optional:
        parts += [f"{figure}_mean DOUBLE PRECISION", f"{figure}_min REAL", f"{figure}_max REAL"]
        parts += [f"{figure}_n INTEGER NOT NULL"]
    parts.append(f"CONSTRAINT pk_{name} PRIMARY KEY ({key})")
    op.execute(f"CREATE TABLE {name} ({', '.join(parts)}) PARTITION BY RANGE (ts)")
    if not key.startswith("host_id"):
        op.execute(f"CREATE INDEX ix_{name}_host_id_ts ON {name} (host_id, ts)")


def downgrade() -> None:
    """Drop them with what they hold."""
    for kind in KINDS:
        for level in LEVELS:
            op.execute(f"DROP TABLE history_{kind}_{level}")
    op.execute("ALTER TABLE latest_hosts DROP COLUMN rolled_until")
    op.execute("ALTER TABLE chain_samples DROP COLUMN paused")
    for table in RAW:
        op.execute(f"ALTER TABLE {table} DROP COLUMN simulated")
