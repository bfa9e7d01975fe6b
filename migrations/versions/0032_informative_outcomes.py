"""Outcomes are `informative` or not, and a prediction study has `predictions`: the names of columns and of stored JSON.

Snapshots and summaries of 0031 would be read as they are; results of studies are answered as they are stored. Both are
rewritten in both directions, as the version before reads its own names only.
"""

# ruff: noqa: S608 - queries are made of this file's own words

import json
import zlib
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_SNAPSHOTS = {"kept_snapshots": "plan_id", "comparisons": "id", "races": "id"}
"""Tables with a compressed snapshot, and their keys."""
_FIELDS = {"told": "test", "telling": "informative", "untold": "uninformative", "foretold": "predictions"}
_VALUES = {"telling": "informative"}
_KEYS = {"told", "test"}
_LEVEL = 6


def upgrade() -> None:
    """To the present names."""
    _rename_column("told", "test", "telling", "informative")
    _rewrite(_FIELDS, _VALUES)


def downgrade() -> None:
    """Back to the former ones."""
    _rename_column("test", "told", "informative", "telling")
    _rewrite(_turned(_FIELDS), _turned(_VALUES))


def _turned(names: dict[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _rename_column(old: str, new: str, former: str, present: str) -> None:
    """The index follows its column."""
    op.execute(f"ALTER TABLE outcomes DROP CONSTRAINT ck_outcomes_{old}")
    op.execute(f"ALTER TABLE outcomes RENAME COLUMN {old} TO {new}")
    op.execute(f"UPDATE outcomes SET {new} = '{present}' WHERE {new} = '{former}'")
    allowed = f"CHECK ({new} IN ('{present}', 'offered_too_little', 'port_full'))"
    op.execute(f"ALTER TABLE outcomes ADD CONSTRAINT ck_outcomes_{new} {allowed}")


def _rewrite(fields: dict[str, str], values: dict[str, str]) -> None:
    def of_snapshot(snapshot: dict[str, Any]) -> None:
        for one in snapshot.get("trust", ()):
            _rename(one, fields)
            if one["last"] is not None:
                _rename(one["last"], fields)
                one["last"] |= {key: values.get(one["last"][key], one["last"][key]) for key in _KEYS & set(one["last"])}

    def of_summary(summary: dict[str, Any]) -> None:
        for one in summary["predictors"]:
            _rename(one, fields)

    for table, key in _SNAPSHOTS.items():
        _each(table, key, "snapshot", of_snapshot)
    _each("studies", "id", "result", lambda found: _rename(found, fields))
    _each("studies", "id", "found", of_summary)


def _rename(data: dict[str, Any], names: dict[str, str]) -> None:
    for old, new in names.items():
        if old in data:
            data[new] = data.pop(old)


def _each(table: str, key: str, column: str, change: Callable[[dict[str, Any]], None]) -> None:
    """One row after another: a result may have 64 MiB."""
    database = op.get_bind()
    for row in database.scalars(sa.text(f"SELECT {key} FROM {table} WHERE {column} IS NOT NULL")).all():
        stored = database.scalar(sa.text(f"SELECT {column} FROM {table} WHERE {key} = :row"), {"row": row})
        packed = isinstance(stored, (bytes, memoryview))
        before = json.loads(zlib.decompress(stored)) if packed else stored
        now = json.loads(json.dumps(before))
        change(now)
        if now != before:
            text = json.dumps(now, ensure_ascii=False, separators=(",", ":"))
            value = zlib.compress(text.encode(), _LEVEL) if packed else text
            to = "bytea" if packed else "jsonb"
            update = sa.text(f"UPDATE {table} SET {column} = CAST(:value AS {to}) WHERE {key} = :row")
            database.execute(update, {"value": value, "row": row})
