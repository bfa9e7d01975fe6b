"""Files for tests, and a router that takes one whatever the catalogue says at the moment."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from fastapi.testclient import TestClient
from httpx import Response
from sextant_backend.modules.nfs.catalogue import BY_NAME, CATALOGUE
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.nf import ArtefactKind

API = "/api/v1"
ROUTES = b"192.168.0.0/16 1\n10.0.0.0/8 2\n"
MAX_ROUTES_BYTES = 1 << 20
TAKES_FILES = "routes_file" in BY_NAME["router"].config_schema["properties"]
"""Whether the catalogue's own router does: other processes know no other."""


def upload(
    client: TestClient, content: bytes = ROUTES, name: str = "edge.routes", kind: str = "routes", **more: Any
) -> Response:
    return client.post(f"{API}/artefacts", params={"name": name, "kind": kind}, content=content, **more)


def uploaded(client: TestClient, content: bytes = ROUTES, name: str = "edge.routes", kind: str = "routes") -> str:
    """The digest of a file that is stored."""
    answer = upload(client, content, name, kind)
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["digest"])


def a_trace(*packets: bytes, order: str = "<", magic: int = 0xA1B2C3D4, link_type: int = 1) -> bytes:
    """A pcap file."""
    header = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link_type)
    return header + b"".join(struct.pack(f"{order}IIII", 1, 2, len(one), len(one)) + one for one in packets)


@contextmanager
def a_router_with_routes() -> Iterator[None]:
    """The catalogue's router takes `routes_file` of at most 1 MiB."""
    router = BY_NAME["router"]
    setting = {"type": ["string", "null"], "pattern": "^sha256:[0-9a-f]{64}$", "default": None}
    properties = {**router.config_schema["properties"], "routes_file": setting}
    kind = ArtefactKind(name="routes_file", description="one route a line", max_bytes=MAX_ROUTES_BYTES)
    schema = {**router.config_schema, "properties": properties}
    changed = router.model_copy(update={"config_schema": schema, "artefacts": (kind,)})
    catalogue = tuple(changed if nf_type.name == "router" else nf_type for nf_type in CATALOGUE)
    with patch.dict(BY_NAME, {"router": changed}), patch(f"{snapshots.__name__}.CATALOGUE", catalogue):
        yield


def a_chain(name: str, digest: str | None, **traffic: object) -> dict[str, Any]:
    """A chain whose router reads a file."""
    config = {} if digest is None else {"routes_file": digest}
    return {
        "name": name,
        "nfs": [{"type": "router", "name": "router", "config": config}, "firewall", "basic-monitor"],
        "traffic": {"rate_mpps": 0.2, "packet_bytes": 256, **traffic},
    }
