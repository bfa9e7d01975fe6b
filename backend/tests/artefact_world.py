"""Files for tests, and a chain that names one."""

import struct
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

API = "/api/v1"
ROUTES = b"192.168.0.0/16 1\n10.0.0.0/8 2\n"


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


def a_chain(name: str, digest: str | None, **traffic: object) -> dict[str, Any]:
    """A chain whose router reads a file."""
    config = {} if digest is None else {"routes_file": digest}
    return {
        "name": name,
        "nfs": [{"type": "router", "name": "router", "config": config}, "firewall", "basic-monitor"],
        "traffic": {"rate_mpps": 0.2, "packet_bytes": 256, **traffic},
    }
