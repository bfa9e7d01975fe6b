"""What the console's process answers over HTTP: the fleet's file, every list, and sign-ins beside others."""

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
from cpu import Meter
from figures import Figure, percentile
from serving import PASSWORD, console
from sextant_backend import openapi
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.auth import service as auth
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredHostConfig

TIMES = 10
OTHERS_A_SECOND = 50
SCRAPE_EVERY_S = 6.0
"""Longer than an answer is given again."""
SCRAPES = 8
_UNKNOWN_PACE = 3
"""Scrapes after which a console knows when the next comes."""
_NOT_READ = ("/events", "/metrics", "/snapshot", "/auth/session", "/identity-provider", "/readyz")
"""A stream; what is measured apart (twice); and what is not there for a token, without a provider, without workers."""


def measured(folder: Path, orders: Sequence[DesiredHostConfig], parts: list[str]) -> Iterator[Figure]:
    """Of a console of its own."""
    with session_scope() as session:
        user = auth.create_user(session, "bench", PASSWORD, Role.ADMIN)
        token = auth.create_token(session, user, "bench", Role.ADMIN)
        auth.create_user(session, "other", PASSWORD, Role.VIEWER)
    with console(folder) as (url, process):
        meter = Meter(process)
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            if "reading" in parts:
                yield from _snapshot(client, meter)
                yield from _scrapes(client, meter)
                yield from _lists(client, meter, orders)
            if "signing-in" in parts:
                yield from _sign_ins(url, client)


def _get(client: httpx.Client, path: str, **headers: str) -> tuple[httpx.Response, int]:
    with client.stream("GET", path, headers=headers) as answer:
        size = sum(len(piece) for piece in answer.iter_raw())
    answer.raise_for_status()
    return answer, size


def _snapshot(client: httpx.Client, meter: Meter) -> Iterator[Figure]:
    walls, cpus, size = [], [], 0
    for _ in range(6):
        with meter.counted() as spent:
            answer, size = _get(client, "/api/v1/fleet/snapshot")
        walls.append(1000 * spent.wall)
        cpus.append(1000 * spent.cpu)
    how = (
        f"{size / 1e6:.2f} MB ({answer.headers.get('content-encoding', 'plain')}); CPU {sum(cpus[1:]) / 5:.0f} ms, "
        + (f"the first {walls[0]:.0f} ms, CPU {cpus[0]:.0f}")
    )
    yield Figure("snapshot of the fleet", sum(walls[1:]) / 5, 300, "ms", how)


def _scrapes(client: httpx.Client, meter: Meter) -> Iterator[Figure]:
    """As Prometheus does it: at a steady pace, of which the first scrapes are not read ahead."""
    walls, cpus, size = [], [], 0
    for _ in range(SCRAPES):
        with meter.counted() as spent:
            began = time.monotonic()
            _, size = _get(client, "/api/v1/metrics")
            walls.append(1000 * (time.monotonic() - began))
            time.sleep(max(0.0, SCRAPE_EVERY_S - (time.monotonic() - began)))
        cpus.append(1000 * spent.cpu)
    known = walls[_UNKNOWN_PACE:]
    how = (
        f"slowest of {len(known)}, CPU {sum(cpus) / SCRAPES:.0f} ms each with what is read ahead, {size / 1e3:.0f} kB; "
    )
    how += f"the first {walls[0]:.0f} ms"
    yield Figure(f"scrape of /metrics, every {SCRAPE_EVERY_S:g} s", max(known), 300, "ms", how)


def _paths(orders: Sequence[DesiredHostConfig]) -> list[str]:
    """Every GET without an id, lists in their longest pages; and pages of one host, chain and NF."""
    found = []
    for path, methods in openapi.document()["paths"].items():
        if "get" not in methods or "{" in path or "{name}" in path:
            continue
        query = {one.get("name"): one for one in methods["get"].get("parameters", ())}
        if path.endswith(_NOT_READ) or "/auth/oidc" in path:
            continue
        if any(one.get("required") and one.get("in") == "query" for one in query.values()):
            continue
        found.append(f"{path}?limit={query['limit']['schema']['maximum']}" if "limit" in query else path)
    content = orders[0].content
    host, chain = content.host_id, content.chains[0]
    api = "/api/v1"
    return [
        *found,
        f"{api}/hosts/{host}",
        f"{api}/hosts/{host}/interference",
        f"{api}/nfs?host={host}",
        f"{api}/chains/{chain.chain}",
        f"{api}/nfs/{chain.nfs[0].nf_id}",
        f"{api}/nfs/{chain.nfs[0].nf_id}/targets",
        f"{api}/telemetry/chains/{chain.chain}",
    ]


def _lists(client: httpx.Client, meter: Meter, orders: Sequence[DesiredHostConfig]) -> Iterator[Figure]:
    worst: list[tuple[float, str, float, int]] = []
    for path in _paths(orders):
        walls, size = [], 0
        try:
            with meter.counted() as spent:
                for _ in range(TIMES):
                    began = time.monotonic()
                    _, size = _get(client, path)
                    walls.append(1000 * (time.monotonic() - began))
        except httpx.HTTPStatusError as error:
            print(f"GET {path} answered {error.response.status_code}", file=sys.stderr)
            walls, size = [60_000.0], 0
        worst.append((percentile(walls, 0.95), path, 1000 * spent.cpu / TIMES, size))
    worst.sort(reverse=True)
    for p95, path, cpu, size in worst[:8]:
        yield Figure(
            f"p95 of GET {path.removeprefix('/api/v1')}", p95, 300, "ms", f"CPU {cpu:.0f} ms, {size / 1e3:.0f} kB"
        )
    yield Figure(f"the slowest p95 of {len(worst)} lists and pages", worst[0][0], 300, "ms", worst[0][1])


def _sign_ins(url: str, client: httpx.Client) -> Iterator[Figure]:
    """One who signs in, while fifty others a second try to."""
    ended, walls, statuses = threading.Event(), [], []

    def other() -> None:
        with httpx.Client(base_url=url, timeout=60) as mine:
            while not ended.is_set():
                began = time.monotonic()
                mine.post("/api/v1/auth/login", json={"username": "other", "password": PASSWORD})
                ended.wait(max(0.0, 1.0 - (time.monotonic() - began)))

    threads = [threading.Thread(target=other) for _ in range(OTHERS_A_SECOND)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            began = time.monotonic()
            answer = client.post("/api/v1/auth/login", json={"username": "bench", "password": PASSWORD}, headers={})
            walls.append(1000 * (time.monotonic() - began))
            statuses.append(answer.status_code)
            time.sleep(0.2)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    good = sum(status == 200 for status in statuses)
    how = f"{good} of {len(statuses)} were let in, median {percentile(walls, 0.5):.0f} ms; from one address"
    yield Figure("sign-in beside 50 others a second, p95", percentile(walls, 0.95), 300, "ms", how)
