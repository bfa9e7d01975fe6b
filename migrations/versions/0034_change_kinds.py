"""Changes of a plan `start` and `stop` NFs; they were called `add` and `remove`.

The digest of a plan is over its body, so it is computed again where the body changes. Audit entries name the digest
that was applied, so one more says what it is now. Orders of hosts hold no changes: they and their digests stay, and
agents go on by their ledgers. Both directions, as the version before reads its own words only.
"""

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_KINDS = {"add": "start", "remove": "stop"}


def upgrade() -> None:
    """To the present names."""
    _rewrite(_KINDS)


def downgrade() -> None:
    """Back to the former ones."""
    _rewrite({new: old for old, new in _KINDS.items()})


def _rewrite(kinds: dict[str, str]) -> None:
    """One body after another: a fleet's has 10 MB."""
    database = op.get_bind()
    likely = sa.text("SELECT id FROM plans WHERE body ~ :kinds")
    for plan in database.scalars(likely, {"kinds": f'"kind":"({"|".join(kinds)})"'}).all():
        row = database.execute(sa.text("SELECT body, digest FROM plans WHERE id = :plan"), {"plan": plan}).one()
        body = json.loads(row.body)
        if not _renamed(body, kinds):
            continue
        canonical = _canonical(body)
        digest = f"sha256:{hashlib.sha256(canonical).hexdigest()}"
        values = {"plan": plan, "digest": digest}
        update = sa.text("UPDATE plans SET body = :body, digest = :digest WHERE id = :plan")
        database.execute(update, {**values, "body": canonical.decode()})
        database.execute(_AUDIT, {"subject": f"plan/{plan}", "digest": digest, "former": row.digest})
    _answers(kinds)


_AUDIT = sa.text(
    "INSERT INTO audit_entries (actor, action, subject, detail)"
    " SELECT 'system', 'plan.rewrite', CAST(:subject AS varchar),"
    " jsonb_build_object('former', CAST(:former AS text), 'digest', CAST(:digest AS text),"
    " 'cause', 'upgrade: changes of a plan are called by other names')"
    " WHERE EXISTS (SELECT FROM audit_entries WHERE subject = CAST(:subject AS varchar) AND action = 'plan.apply')"
)


def _answers(kinds: dict[str, str]) -> None:
    """Stored answers to requests that may be repeated (`Idempotency-Key`): those to a rejection hold the plan."""
    database = op.get_bind()
    query = "SELECT username, path, key, body FROM idempotency_keys WHERE path ~ '/plans/[0-9]+/reject$'"
    for row in database.execute(sa.text(query)).all():
        answer = json.loads(bytes(row.body) or b"{}")
        if not _renamed(answer.get("body") or {}, kinds):
            continue
        digest = database.scalar(sa.text("SELECT digest FROM plans WHERE id = :plan"), {"plan": answer["id"]})
        answer["digest"] = digest or answer["digest"]  # a plan of a comparison may be gone
        update = "UPDATE idempotency_keys SET body = :body WHERE username = :user AND path = :path AND key = :key"
        again = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
        database.execute(sa.text(update), {"body": again, "user": row.username, "path": row.path, "key": row.key})


def _renamed(body: dict[str, Any], kinds: dict[str, str]) -> bool:
    """Whether any kind was renamed, in place."""
    found = [change for change in body.get("changes", ()) if change.get("kind") in kinds]
    for change in found:
        change["kind"] = kinds[change["kind"]]
    return bool(found)


def _canonical(value: Any) -> bytes:
    """As `sextant_domain.base.canonical_json`."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
