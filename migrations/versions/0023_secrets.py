"""Secrets under references, sealed: the keys of VPNs leave specifications, plans, orders and snapshots.

Digests are over what is stored, so those of the rewritten are made anew. What a host was ordered gets the next number,
which no agent holds: the next order of the host takes its key along, and until then it runs on by its ledger.
"""

# ruff: noqa: S608 - queries are made of this file's own words

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op
from sextant_backend.kit.sealing import Keys, keys_of
from sextant_backend.settings import get_settings
from sextant_domain.chains.secret import GONE, new_reference

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_KEY = re.compile("[0-9a-fA-F]{40}")
_IN_TEXT = '"key": ?"[0-9a-fA-F]{40}"'
"""How a key stands in JSON. No other NF type of this version has a setting of that name."""
_LEVEL = 1


def upgrade() -> None:
    """Needs SEXTANT_SECRETS_KEY_FILE where there is a key to move."""
    op.create_table(
        "secrets",
        sa.Column("reference", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.func.clock_timestamp(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("unused_since", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("reference", name="pk_secrets"),
    )
    mover = _Mover()
    mover.learn()
    mover.store()
    mover.rewrite()


def downgrade() -> None:
    """A key is not put back where everybody can read it."""
    if op.get_bind().scalar(sa.text("SELECT count(*) FROM secrets")):
        raise RuntimeError("chains have secrets, which the version before would keep in clear: delete those chains")
    op.drop_table("secrets")


class _Mover:
    """Keys by NF and value: chain, plan and order of one NF name the same reference, as they named the same key."""

    def __init__(self) -> None:
        self._database = op.get_bind()
        self._needed: dict[tuple[str, str], str] = {}

    def learn(self) -> None:
        """What is still needed gets a reference: of chains, of what hosts are ordered and what is being ordered."""
        queries = (
            f"SELECT spec::text FROM chains WHERE deleted_at IS NULL AND spec::text ~ '{_IN_TEXT}'",
            f"SELECT desired::text FROM hosts WHERE desired::text ~ '{_IN_TEXT}'",
            f"SELECT target FROM operation_hosts WHERE holding AND target ~ '{_IN_TEXT}'",
            f"SELECT former FROM operation_hosts WHERE holding AND former ~ '{_IN_TEXT}'",
        )
        for query in queries:
            for text in self._database.scalars(sa.text(query)).all():
                for name, config in _configs(json.loads(text)):
                    if _is_key(config.get("key")):
                        self._needed.setdefault((name, config["key"]), new_reference())

    def store(self) -> None:
        if not self._needed:
            return
        keys: Keys = keys_of(get_settings().secrets_key_file)
        insert = sa.text("INSERT INTO secrets (reference, key_id, sealed, created_by) VALUES (:ref, :id, :sealed, '')")
        for (_, value), reference in self._needed.items():
            sealed = keys.seal(reference, value)
            self._database.execute(insert, {"ref": reference, "id": sealed.key_id, "sealed": sealed.content})

    def rewrite(self) -> None:
        """Everything that holds a key; of what is not needed any more the key is gone."""
        hosts = self._hosts()
        self._each("chains", "id", "spec", kind="jsonb", change=self._referred)
        for column in ("target", "former"):
            self._each("operation_hosts", "operation_id, host_id", column, change=self._order)
        self._plans(hosts)
        for table, row in (("comparisons", "id"), ("kept_snapshots", "plan_id"), ("races", "id")):
            self._snapshots(table, row)
        answers = f"DELETE FROM idempotency_keys WHERE encode(body, 'escape') ~ '{_IN_TEXT}'"
        self._database.execute(sa.text(answers))

    def _hosts(self) -> list[str]:
        """Those whose order changed: what was proposed for them was made on another."""
        found = self._database.execute(
            sa.text(f"SELECT host_id, desired::text FROM hosts WHERE desired::text ~ '{_IN_TEXT}'")
        ).all()
        update = sa.text(
            "UPDATE hosts SET desired = CAST(:desired AS jsonb), desired_generation = :generation,"
            " desired_digest = :digest, version = version + 1 WHERE host_id = :host"
        )
        for host, text in found:
            order = self._order(json.loads(text))
            order["generation"] += 1
            values = {"desired": json.dumps(order), "generation": order["generation"], "digest": order["digest"]}
            self._database.execute(update, {**values, "host": host})
        return [host for host, _ in found]

    def _plans(self, hosts: list[str]) -> None:
        found = self._database.execute(sa.text(f"SELECT id, body FROM plans WHERE body ~ '{_IN_TEXT}'")).all()
        for plan, text in found:
            body = json.loads(text)
            body["target"] = [self._order(order) for order in body["target"]]
            canonical = _canonical(body)
            update = sa.text("UPDATE plans SET body = :body, digest = :digest WHERE id = :id")
            self._database.execute(update, {"body": canonical.decode(), "digest": _digest(canonical), "id": plan})
        supersede = sa.text(
            "UPDATE plans SET state = 'superseded', decided_at = clock_timestamp(), version = version + 1"
            " WHERE state = 'proposed' AND hosts && CAST(:hosts AS varchar[])"
        )
        if hosts:
            self._database.execute(supersede, {"hosts": hosts})

    def _snapshots(self, table: str, key: str) -> None:
        for row in self._database.scalars(sa.text(f"SELECT {key} FROM {table} WHERE snapshot IS NOT NULL")).all():
            packed = self._database.scalar(sa.text(f"SELECT snapshot FROM {table} WHERE {key} = :row"), {"row": row})
            text = zlib.decompress(packed).decode()
            if not re.search(_IN_TEXT, text):
                continue
            snapshot = self._referred(json.loads(text))
            for host in snapshot["hosts"]:
                host["digest"] = _digest(_canonical(host["content"]))
            update = sa.text(f"UPDATE {table} SET snapshot = :snapshot WHERE {key} = :row")
            again = zlib.compress(json.dumps(snapshot, ensure_ascii=False).encode(), _LEVEL)
            self._database.execute(update, {"snapshot": again, "row": row})

    def _each(self, table: str, key: str, column: str, *, change: Callable[[Any], Any], kind: str = "text") -> None:
        names = key.split(", ")
        query = f"SELECT {column}::text, {key} FROM {table} WHERE {column}::text ~ '{_IN_TEXT}'"
        where = " AND ".join(f"{name} = :{name}" for name in names)
        for text, *row in self._database.execute(sa.text(query)).all():
            update = sa.text(f"UPDATE {table} SET {column} = CAST(:value AS {kind}) WHERE {where}")
            values = dict(zip(names, row, strict=True))
            self._database.execute(update, {**values, "value": json.dumps(change(json.loads(text)))})

    def _order(self, order: dict[str, Any]) -> dict[str, Any]:
        self._referred(order["content"])
        order["digest"] = _digest(_canonical(order["content"]))
        return order

    def _referred(self, value: Any) -> Any:
        """In place: references for keys."""
        for name, config in _configs(value):
            if _is_key(config.get("key")):
                config["key"] = self._needed.get((name, config["key"]), GONE)
        return value


def _configs(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every NF's configuration with its id, of specifications (`name`) and orders (`chain`) wherever they stand."""
    if isinstance(value, list):
        for item in value:
            yield from _configs(item)
    if not isinstance(value, dict):
        return
    nfs = value.get("nfs")
    for nf in nfs if isinstance(nfs, list) else ():
        if isinstance(nf, dict) and isinstance(nf.get("config"), dict):
            yield nf.get("nf_id") or f"{value.get('name')}.{nf.get('name')}", nf["config"]
    for inner in value.values():
        yield from _configs(inner)


def _is_key(value: object) -> bool:
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def _canonical(value: Any) -> bytes:
    """As `sextant_domain.base.canonical_json`."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _digest(canonical: bytes) -> str:
    return f"sha256:{hashlib.sha256(canonical).hexdigest()}"
