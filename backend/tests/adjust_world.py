"""What tests of changed settings share: how a chain is changed, and what of it is stored, booked and ordered."""

from typing import Any

from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, work
from httpx import Response
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.hosts import repository as host_rows
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.chains.chain import ChainSettings
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.host import Capability
from sextant_domain.plans.operation import Operation, OperationState

SETTINGS = f"{API}/chains/web-edge/settings"
FASTER = {"rate_mpps": 0.9, "packet_bytes": 256}


def patch(client: TestClient, **change: Any) -> Response:
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    return client.patch(SETTINGS, json=change, headers={"If-Match": tag})


def begun(client: TestClient, **change: Any) -> Operation:
    answer = patch(client, **change)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"{API}/operations/{answer.json()['id']}"
    return Operation.model_validate_json(answer.content)


def adjusted(client: TestClient, **change: Any) -> Operation:
    done = work(begun(client, **change).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def stored() -> ChainSettings:
    with session_scope() as session:
        return chains.one(session, "web-edge").spec.settings


def ordered(fleet: Fleet) -> DesiredChain:
    return next(chain for chain in fleet.edge.ledger.content.chains if chain.chain == "web-edge")


def booked() -> ChainSettings:
    """By the host's books."""
    with session_scope() as session:
        host = host_rows.get(session, "edge-1")
        assert host is not None
        return next(one for one in hosts.desired_of(host).content.chains if one.chain == "web-edge").settings


def same(fleet: Fleet) -> ChainSettings:
    """Stored, booked and ordered are one."""
    assert stored() == booked() == ordered(fleet).settings
    return stored()


def gain(fleet: Fleet, capability: str) -> None:
    """The host says that it can do it now."""
    inventory = an_inventory()
    more = (*inventory.capabilities, Capability(name=capability, available=True, reason="its packets say so"))
    with session_scope() as session:
        hosts.register(session, inventory.model_copy(update={"capabilities": more}), fleet.edge.url)


def lose(fleet: Fleet, capability: str) -> None:
    """The host says that it cannot do it any more."""
    inventory = an_inventory()
    left = tuple(one for one in inventory.capabilities if one.name != capability)
    with session_scope() as session:
        hosts.register(session, inventory.model_copy(update={"capabilities": left}), fleet.edge.url)
