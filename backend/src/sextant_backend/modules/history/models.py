"""Tables of history: for each kind and level one, range-partitioned by time.

The key begins with what a range is asked of, so that its rows lie side by side in the index: of chains the chain, of
all others the host. Means are of double precision: the mean of the smallest four-byte floats is none.
"""

from typing import Any

from sqlalchemy import (
    REAL,
    Boolean,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from sextant_backend.kit.db import Base
from sextant_backend.kit.partitions import Partitioned
from sextant_backend.modules.history.policy import CHAIN, KINDS, LEVELS, Kind, Level


def _table(kind: Kind, level: Level) -> Table:
    name = kind.table(level)
    figures = [column for figure in kind.figures for column in _figure(figure, nullable=False)]
    optional = [
        column for figure in kind.optional for column in (*_figure(figure, nullable=True), _integer(f"{figure}_n"))
    ]
    judged = [_integer("judged"), _integer("met")] if kind.objectives else []
    return Table(
        name,
        Base.metadata,
        Column("ts", DateTime(timezone=True), nullable=False),
        Column("host_id", Text, nullable=False),
        *(Column(part, Integer if part in {"core", "position"} else Text, nullable=False) for part in kind.key),
        _integer("samples"),
        _integer("intervals"),
        Column("simulated", Boolean, nullable=False),
        *judged,
        *figures,
        *optional,
        PrimaryKeyConstraint(*key_of(kind), name=f"pk_{name}"),
        *([Index(f"ix_{name}_host_id_ts", "host_id", "ts")] if kind is CHAIN else []),
        postgresql_partition_by="RANGE (ts)",
    )


def key_of(kind: Kind) -> tuple[str, ...]:
    """Columns that name one row, in the order of the index. NFs are many, and are found by their host."""
    return ("chain", "ts", "host_id") if kind is CHAIN else ("host_id", "ts", *kind.key)


def _figure(name: str, nullable: bool) -> tuple[Column[Any], ...]:
    return (
        Column(f"{name}_mean", Double, nullable=nullable),
        Column(f"{name}_min", REAL, nullable=nullable),
        Column(f"{name}_max", REAL, nullable=nullable),
    )


def _integer(name: str) -> Column[Any]:
    return Column(name, Integer, nullable=False)


TABLES = {(kind, level): _table(kind, level) for kind in KINDS for level in LEVELS}
"""`samples`: how many the row is of. `intervals`: how many ten-second intervals had any. `judged`, `met`: of how many
samples the chain's objectives could be judged, and were met. `<figure>_n`: samples that had it."""

PARTITIONED = {key: Partitioned(table.name, key[1].width) for key, table in TABLES.items()}
