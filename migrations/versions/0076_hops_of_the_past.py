"""Hops of chains whose packets say what was measured of them: samples, and history of ten seconds up to a day."""

from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

LEVELS = ("10s", "5min", "1h", "1d")
FIGURES = ("latency_us", "p95_us", "most_us", "waits_us", "queue_packets")
KEY = "chain TEXT NOT NULL, position INTEGER NOT NULL, device TEXT NOT NULL, nf_id TEXT NOT NULL"


def upgrade() -> None:
    """Add the tables. Their partitions are made by who stores in them."""
    reals = ", ".join(f"{figure} REAL" for figure in FIGURES)
    op.execute(
        f"CREATE TABLE hop_samples (ts timestamptz NOT NULL, host_id TEXT NOT NULL, {KEY}, {reals},"
        " simulated BOOLEAN DEFAULT false NOT NULL) PARTITION BY RANGE (ts)"
    )
    op.execute("CREATE INDEX ix_hop_samples_host_id_ts ON hop_samples (host_id, ts)")
    op.execute("CREATE INDEX ix_hop_samples_ts ON hop_samples USING brin (ts)")
    for level in LEVELS:
        name = f"history_hop_{level}"
        figures = ", ".join(
            f"{figure}_mean DOUBLE PRECISION, {figure}_min REAL, {figure}_max REAL, {figure}_n INTEGER NOT NULL"
            for figure in FIGURES
        )
        op.execute(
            f"CREATE TABLE {name} (ts timestamptz NOT NULL, host_id TEXT NOT NULL, {KEY}, samples INTEGER NOT NULL,"
            f" intervals INTEGER NOT NULL, simulated BOOLEAN NOT NULL, {figures},"
            f" CONSTRAINT pk_{name} PRIMARY KEY (host_id, ts, chain, position, device, nf_id)) PARTITION BY RANGE (ts)"
        )


def downgrade() -> None:
    """Drop them with what they hold."""
    for level in LEVELS:
        op.execute(f"DROP TABLE history_hop_{level}")
    op.execute("DROP TABLE hop_samples")
