"""What the tests of backend and worker are made of: an inventory, a batch, a server in a thread."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import uvicorn
from fastapi.testclient import TestClient
from sextant_domain.hosts.host import Capability, Core, HostInventory, NumaNode, Port
from sextant_domain.hosts.telemetry import TelemetryBatch

PASSWORD = "correct-horse-battery"
SignIn = Callable[..., TestClient]


@contextmanager
def serving(app: Any, **config: Any) -> Iterator[int]:
    """`app` on a real uvicorn in a thread, at a free port of 127.0.0.1; yields the port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        options = {"log_config": None, "access_log": False, "ws": "none", "http": "h11", **config}
        server = uvicorn.Server(uvicorn.Config(app, **{**options, "timeout_graceful_shutdown": 1}))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join(timeout=60)
            assert not thread.is_alive()


def wait_until(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    """Until `condition` holds; fails after `limit_s`, so that nothing hangs; that is enough on a busy machine. It is
    asked less often the longer it takes: most conditions are requests, and what they wait for needs the processors."""
    deadline, pause_s = time.monotonic() + limit_s, 0.005
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come to hold"
        time.sleep(pause_s)
        pause_s = min(1.5 * pause_s, 0.1)


def an_inventory(host_id: str = "edge-1", cores: int = 2) -> HostInventory:
    """One node; core 0 is the last choice with 2 slots, the others have 8."""
    return HostInventory(
        host_id=host_id,
        hostname=host_id,
        host_model="test-cpu 1x2",
        driver="testbed",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=(NumaNode(id=0, socket=0, memory_bytes=2**34),),
        cores=tuple(
            Core(id=n, node=0, socket=0, physical_core=n, slots=8 if n else 2, last_choice=n == 0) for n in range(cores)
        ),
        ports=(Port(name="source", node=0, kind="source"), Port(name="sink", node=0, kind="sink")),
        capabilities=tuple(
            Capability(name=name, available=True, reason="the agent of the tests offers it")
            for name in (
                "pinning",
                "pause",
                "run-to-completion",
                "cpu-share",
                "configure",
                "ipv6",
                "lanes",
                "profiling",
                "profiling-colocation",
                "shared-slots",
            )
        ),
    )


def a_batch(sequence: int = 1, **changes: Any) -> TelemetryBatch:
    """A batch of edge-1 with chain web-edge (0.5 Mpps offered, 0.4 delivered), its NF and core 1."""
    values: dict[str, Any] = {
        "host_id": "edge-1",
        "epoch": "epoch-1",
        "sequence": sequence,
        "taken_at": datetime.now(UTC),
        "interval_s": 1.0,
        "provenance": "measured",
        "applied_generation": 1,
        "phase": "converged",
        "nfs": [
            {
                "nf_id": "web-edge.router",
                "chain": "web-edge",
                "core": 1,
                "rx_mpps": 0.5,
                "tx_mpps": 0.4,
                "drop_mpps": 0.1,
                "cpu_percent": 40.0,
                "ring_used_percent": 3.0,
            }
        ],
        "chains": [
            {
                "chain": "web-edge",
                "offered_mpps": 0.5,
                "delivered_mpps": 0.4,
                "drop_mpps": 0.1,
                "p95_us": 120.0,
                "p999_us": 480.0,
            }
        ],
        "cores": [{"core": 1, "busy_percent": 41.5, "other_percent": 1.5}],
    }
    return TelemetryBatch.model_validate({**values, **changes})
