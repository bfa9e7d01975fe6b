"""Gives a fleet a yesterday: an hour of history, made of the newest rows that there are, with ten minutes in which one
chain loses half of its packets on full cores. `seed_history.py DATABASE_URL CHAIN` prints when the incident began."""

import sys
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg import sql

HOUR = timedelta(hours=1)
AFTER = timedelta(minutes=30)
LENGTH = timedelta(minutes=10)
TEN = timedelta(seconds=10)
TABLES = ("history_chain_10s", "history_nf_10s", "history_core_10s", "history_host_10s")
INCIDENT = """
    UPDATE history_chain_10s SET delivered_mpps_mean = delivered_mpps_mean / 2, delivered_mpps_min = 0,
        drop_mpps_mean = offered_mpps_mean / 2, drop_mpps_max = offered_mpps_max, judged = samples, met = 0
        WHERE chain = %(chain)s AND ts >= %(from)s AND ts < %(to)s;
    UPDATE history_nf_10s SET drop_mpps_mean = rx_mpps_mean / 2, drop_mpps_max = rx_mpps_max,
        utilisation_percent_mean = 100, utilisation_percent_max = 100
        WHERE nf_id LIKE %(chain)s || '.%%' AND ts >= %(from)s AND ts < %(to)s;
    UPDATE history_core_10s c SET busy_percent_mean = 100, busy_percent_max = 100 FROM history_nf_10s n
        WHERE n.nf_id LIKE %(chain)s || '.%%' AND n.host_id = c.host_id AND n.core = c.core AND n.ts = c.ts
        AND c.ts >= %(from)s AND c.ts < %(to)s;
"""


def main() -> None:
    url, chain = sys.argv[1].replace("postgresql+psycopg:", "postgresql:"), sys.argv[2]
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    start = day + timedelta(hours=12)
    with psycopg.connect(url) as connection:
        for table in TABLES:
            _copy(connection, table, day, start)
        times = {"from": start + AFTER, "to": start + AFTER + LENGTH, "chain": chain}
        with psycopg.ClientCursor(connection) as cursor:
            cursor.execute(INCIDENT, times)
    print((start + AFTER).isoformat())


def _copy(connection: psycopg.Connection, table: str, day: datetime, start: datetime) -> None:
    """Every ten seconds as the newest of each host."""
    name, partition = sql.Identifier(table), sql.Identifier(f"{table}_{day:%Y%m%d}")
    connection.execute(
        sql.SQL("CREATE TABLE IF NOT EXISTS {} PARTITION OF {} FOR VALUES FROM ({}) TO ({})").format(
            partition, name, sql.Literal(day.isoformat()), sql.Literal((day + timedelta(days=1)).isoformat())
        )
    )
    found = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND column_name <> 'ts'", [table]
    )
    columns = sql.SQL(", ").join(sql.Identifier(row[0]) for row in found)
    connection.execute(
        sql.SQL(
            "INSERT INTO {name} (ts, {columns}) SELECT at, {columns} FROM {name} one,"
            " generate_series(%(start)s::timestamptz, %(end)s::timestamptz - %(step)s::interval, %(step)s::interval) at"
            " WHERE one.ts = (SELECT max(ts) FROM {name}) ON CONFLICT DO NOTHING"
        ).format(name=name, columns=columns),
        {"start": start, "end": start + HOUR, "step": TEN},
    )


if __name__ == "__main__":
    main()
