"""Migration 0034: changes of a plan that were called `add` and `remove` are called `start` and `stop`."""

import json

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sextant_domain.base import Provenance, canonical_json, digest_of, digest_of_json
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.plans.algorithms import Algorithm
from sextant_domain.plans.evidence import Evidence
from sextant_domain.plans.intents import RemoveIntent
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import ChainPrediction, Change, ChangeKind, HostBase, PlanBody
from sqlalchemy import Connection, text

EMPTY = HostContent(host_id="edge-1")
SEATS = (Seat(host="edge-1", node=0, core=1, slot=0), Seat(host="edge-1", node=0, core=2, slot=0))
SEATED = {
    ChangeKind.START: (None, SEATS[0]),
    ChangeKind.MOVE: SEATS,
    ChangeKind.STOP: (SEATS[0], None),
    ChangeKind.RESOURCES: (SEATS[0], SEATS[0].model_copy(update={"llc_ways": 4})),
}


def _body(*kinds: ChangeKind) -> PlanBody:
    """Of a chain's removal, whose intent is `remove` in both versions. 5.6000000000000005 is written as it was read."""
    changes = (
        Change(
            kind=kind,
            nf_id=f"cafe.{kind}",
            chain="cafe",
            nf_type="router",
            source=SEATED[kind][0],
            target=SEATED[kind][1],
            reason='"kind":"add" in a reason, é',
        )
        for kind in kinds
    )
    predicted = ChainPrediction(
        chain="cafe",
        throughput_mpps=5.6000000000000005,
        bottleneck=None,
        provenance=Provenance.PREDICTED,
        throughput_slo=None,
        latency_slo=None,
    )
    evidence = Evidence(
        algorithm=Algorithm.EXACT,
        status="feasible",
        objective_mpps=None,
        score=None,
        bound=None,
        evaluations=4,
        seconds=0.001,
        seed=1,
        models=(),
    )
    return PlanBody(
        intent=RemoveIntent(chain="cafe"),
        base=(HostBase(host="edge-1", generation=3, digest=digest_of(EMPTY)),),
        target=(DesiredHostConfig.of(4, EMPTY),),
        changes=tuple(changes),
        before=(),
        after=(),
        rejected=(),
        predictions=(predicted,),
        evidence=evidence,
        checks=(),
        warnings=(),
    )


ALL, MOVES = _body(*ChangeKind), _body(ChangeKind.MOVE)
FORMER = {"start": "add", "stop": "remove"}


def _as_0033(body: PlanBody) -> tuple[str, str]:
    """Body and digest as the version before wrote them."""
    data = body.model_dump(mode="json")
    for change in data["changes"]:
        change["kind"] = FORMER.get(change["kind"], change["kind"])
    written = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return written, digest_of_json(written.encode())


ROWS_OF_0033 = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', :order, 3, :host_digest, 1);
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, solving, source, digest, body, changes, moves,
            placed, rejected, rejected_value, tested, tries, created_by, version)
        VALUES ('applied', 'remove', 'cafe', '{cafe}', '{edge-1}', '{}', '{}', 'fleet', :digest, :body, 4, 1, 1, 0, 0,
                false, 1, 'ada', 1),
            ('rejected', 'remove', 'cafe', '{cafe}', '{edge-1}', '{}', '{}', 'fleet', :digest, :body, 4, 1, 1, 0, 0,
                false, 1, 'ada', 1),
            ('applied', 'replace', 'fleet', '{cafe}', '{edge-1}', '{}', '{}', 'fleet', :moved_digest, :moved, 1, 1, 0,
                0, 0, false, 1, 'ada', 1),
            ('planning', 'place', 'cafe', '{cafe}', '{}', '{}', '{}', 'fleet', NULL, NULL, 0, 0, 0, 0, 0, false, 0,
                'ada', 1);
    INSERT INTO operations (kind, state, plan_id, title, fence, queued, attempts, cancel_requested, requested_by,
            version)
        VALUES ('apply', 'PROCESSING', 1, '', 1, false, 1, false, 'ada', 1);
    INSERT INTO operation_hosts (operation_id, host_id, holding, chains, record, base, target, former)
        VALUES (1, 'edge-1', true, '{cafe}', '{}', '', :order, :order);
    INSERT INTO audit_entries (actor, action, subject, detail) VALUES
        ('ada', 'plan.apply', 'plan/1', jsonb_build_object('operation', '1', 'digest', CAST(:digest AS text))),
        ('ada', 'plan.reject', 'plan/2', '{}'),
        ('ada', 'plan.apply', 'plan/3', jsonb_build_object('operation', '2', 'digest', CAST(:moved_digest AS text)));
    INSERT INTO idempotency_keys (username, path, key, body_digest, status, headers, body) VALUES
        ('ada', '/api/v1/plans/2/reject', 'a', '', 200, '{}', :answer),
        ('ada', '/api/v1/plans/4/reject', 'b', '', NULL, '{}', ''),
        ('ada', '/api/v1/chains', 'c', '', 201, '{}', 'ok');
"""
ORDERS = (
    "SELECT desired::text, desired_generation, desired_digest, target, former, h.version FROM hosts h"
    " JOIN operation_hosts USING (host_id)"
)


def test_plans_of_0033_have_the_present_kinds_and_their_digest_and_back_again(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bodies are those that this version writes; plans that change by it alone get another digest. What hosts are
    ordered stays as it is, so no agent is ordered anything."""
    body, digest = _as_0033(ALL)
    moved, moved_digest = _as_0033(MOVES)
    order = DesiredHostConfig.of(3, EMPTY)
    answer = f'{{"id":2,"digest":"{digest}","body":{body}}}'.encode()
    values = {"body": body, "digest": digest, "moved": moved, "moved_digest": moved_digest, "answer": answer}
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0033")
        with engine.begin() as connection:
            execute(connection, ROWS_OF_0033, **values, order=order.model_dump_json(), host_digest=order.digest)
            ordered = connection.execute(text(ORDERS)).all()
        migrate.upgrade("0034")
        now = (canonical_json(ALL).decode(), digest_of(ALL))
        with engine.begin() as connection:
            assert _plans(connection) == [now, now, (moved, digest_of(MOVES)), (None, None)]
            assert PlanBody.model_validate_json(_plans(connection)[0][0] or "") == ALL
            assert connection.execute(text(ORDERS)).all() == ordered
            assert _answer(connection) == {"id": 2, "digest": now[1], "body": json.loads(now[0])}
            assert _audited(connection) == [("plan/1", digest, now[1])]
        command.downgrade(config, "0033")
        with engine.begin() as connection:
            assert _plans(connection) == [(body, digest), (body, digest), (moved, moved_digest), (None, None)]
            assert _answer(connection) == json.loads(answer)
            assert connection.execute(text(ORDERS)).all() == ordered
            assert _audited(connection) == [("plan/1", digest, now[1]), ("plan/1", now[1], digest)]


def _plans(connection: Connection) -> list[tuple[str | None, str | None]]:
    return [tuple(row) for row in connection.execute(text("SELECT body, digest FROM plans ORDER BY id"))]


def _answer(connection: Connection) -> object:
    return json.loads(bytes(connection.scalar(text("SELECT body FROM idempotency_keys WHERE key = 'a'"))))


def _audited(connection: Connection) -> list[tuple[str, str, str]]:
    query = "SELECT subject, detail FROM audit_entries WHERE action = 'plan.rewrite' ORDER BY id"
    return [(row.subject, row.detail["former"], row.detail["digest"]) for row in connection.execute(text(query))]
