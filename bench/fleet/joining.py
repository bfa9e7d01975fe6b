"""Many hosts that join: their certificates by one token, and their registration."""

from collections.abc import Iterator
from pathlib import Path

from cpu import Meter
from cryptography.hazmat.primitives.asymmetric import ec
from figures import Figure
from seed import inventories
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.enrolments import issuance, service
from sextant_backend.modules.hosts import service as hosts_service
from sextant_domain.hosts.enrolment import EnrolmentRequest
from sextant_run.pki.store import Store

HOSTS_A_REQUEST = 50
"""As the agent of simulated hosts registers them."""


def measured(meter: Meter, hosts: int, folder: Path) -> Iterator[Figure]:
    """What of it is the backend's; `sextant demo` adds the agent's."""
    Store(folder / "pki").renew(())
    with meter.counted() as enrolled:
        with session_scope() as session:
            token = service.make(
                session, EnrolmentRequest(host="more-*", count=hosts, labels={"zone": "demo"}), "bench"
            ).token
        with session_scope() as session:
            key = ec.generate_private_key(ec.SECP256R1()).public_key()
            taken = service.take(token)
            issued = issuance.enrol(session, taken, key, issuance.issuer(), agent_url="https://127.0.0.1:2")
    found = [
        one.model_copy(update={"host_id": host.host_id, "hostname": host.host_id})
        for one, host in zip(inventories(hosts), issued.hosts, strict=True)
    ]
    with meter.counted() as registered:
        for at in range(0, hosts, HOSTS_A_REQUEST):
            some = {one.host_id: (one, "https://127.0.0.1:2") for one in found[at : at + HOSTS_A_REQUEST]}
            with session_scope() as session:
                hosts_service.register_all(session, some)
    for name, spent in (("enrolling", enrolled), ("registering", registered)):
        how = f"CPU {spent.cpu:.1f} s, {spent.server:.1f} of it PostgreSQL's"
        yield Figure(f"{name} {hosts} hosts", spent.wall, 30, "s", how)
