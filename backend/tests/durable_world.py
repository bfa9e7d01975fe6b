"""An installation whose servers keep what they are given on disk, and can be killed and started again."""

import os
from contextlib import ExitStack
from pathlib import Path

from agent_peer import chain_json
from console_world import PASSWORD
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, plan
from sextant_backend import migrate
from sextant_backend.app import console_app
from sextant_backend.kit import db
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.kit.sealing import make_key_file
from sextant_backend.modules.auth import service as auth
from sextant_backend.settings import get_settings
from sextant_domain.console.access import Role
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState
from sextant_run.servers import PostgresServer, ValkeyServer, running
from sextant_run.servers.base import EmbeddedServer, ServerError
from worker_world import Processes, eventually, processes

LIMIT_S = 60.0
PAUSED_AT = "operate.put.after_send"


class Restartable:
    """A server that can be killed and started again on the same data."""

    def __init__(self, server: EmbeddedServer, log: Path) -> None:
        self.server, self.log = server, log
        self._stack = ExitStack()
        self.start()

    def start(self) -> None:
        self.process = self._stack.enter_context(running(self.server, self.log))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """As a supervisor would: until what the dead process left behind is gone."""

        def started() -> bool:
            try:
                self.start()
            except ServerError:
                return False
            return True

        eventually(started, LIMIT_S)

    def close(self) -> None:
        self._stack.close()


class World:
    """An installation of its own, durable, with everything but the runner."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.postgres = Restartable(
            _prepared(PostgresServer(data=folder / "pg", sockets=folder / "s")), folder / "pg.log"
        )
        stack.callback(self.postgres.close)
        socket = folder / "s" / "valkey.sock"
        self.valkey = Restartable(_prepared(ValkeyServer(data=folder / "vk", socket=socket, port=0)), folder / "vk.log")
        stack.callback(self.valkey.close)
        former = {name: os.environ.get(name) for name in ("DATABASE_URL", "REDIS_URL", "SEXTANT_SECRETS_KEY_FILE")}
        stack.callback(_restore, former)
        make_key_file(folder / "secrets.key")
        os.environ["SEXTANT_SECRETS_KEY_FILE"] = str(folder / "secrets.key")
        os.environ["DATABASE_URL"] = self.postgres.server.url
        os.environ["REDIS_URL"] = self.valkey.server.url
        get_settings.cache_clear()
        migrate.upgrade()
        stack.callback(db.session_factory().kw["bind"].dispose)
        self.fleet: Fleet = stack.enter_context(a_fleet(folder, "edge-1"))
        self.worker: Processes = stack.enter_context(processes(folder))
        self.client = stack.enter_context(TestClient(console_app()))
        with db.session_scope() as session:
            auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
        answer = self.client.post(f"{API}/auth/login", json={"username": "ada", "password": PASSWORD})
        self.client.headers[CSRF_HEADER] = answer.json()["csrf_token"]

    def planned(self, name: str) -> Plan:
        answer = self.client.post(f"{API}/chains", json=chain_json(name, "router"))
        assert answer.status_code == 201, answer.text
        return self.proposed(answer.json()["plan_id"])

    def proposed(self, plan_id: int) -> Plan:
        eventually(lambda: plan(self.client, plan_id).state is PlanState.PROPOSED, LIMIT_S)
        return plan(self.client, plan_id)

    def paused(self, name: str) -> int:
        """An operation whose worker stands still: the agent has the order, the database does not know it."""
        self.worker.inject(**{PAUSED_AT.replace(".", "__"): {"action": "pause", "times": 1}})
        begun = apply(self.client, self.planned(name))
        eventually(self.worker.sign(PAUSED_AT, "reached").exists, LIMIT_S)
        return begun.id

    def go_on(self) -> None:
        self.worker.sign(PAUSED_AT, "go").touch()

    def completes(self, operation_id: int, generations: list[int]) -> None:
        eventually(lambda: operation(self.client, operation_id).state is OperationState.COMPLETED, LIMIT_S)
        assert [generation for generation, _ in self.fleet.edge.adopted] == generations
        assert not [kind for kind in self.fleet.edge.refused if kind != "stale-fence"]


def _prepared(server: EmbeddedServer) -> EmbeddedServer:
    server.prepare()
    return server


def _restore(former: dict[str, str | None]) -> None:
    for name, value in former.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    get_settings.cache_clear()
