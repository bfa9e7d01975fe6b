"""Every process of docker-compose.yml runs as its image would: two hosts enrol, workers plan a chain, a worker of a
further machine carries the plan out, a study is run, metrics are scraped.
"""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sextant_run.ports import any_free

from deploy.tests.containers import Machine, copy_shared, make_environment, wait_until
from deploy.tests.files import DEPLOY, own_services
from deploy.tests.servers import servers

SERVICES = [name for name in own_services() if name != "migrate"]
SERVER_RUNS = (
    *("sextant_backend.app", "sextant_backend.check", "sextant_backend.fleet.app", "sextant_backend.migrate"),
    *("alembic.command", "sextant_worker.app", "sextant_worker.tasks", "sextant_worker.watch"),
)
HOST_RUNS = ("sextant_agent.main", "sextant_agent.simulated.server", "sextant_cli.main")
CHAIN = """apiVersion: sextant/v1
kind: Chain
name: edge
nfs: [router, firewall, basic-monitor]
traffic: {rate_mpps: 0.1, packet_bytes: 128}
slo: {min_throughput_mpps: 0.09}
"""
STUDY = """name = "small"
summary = "Two NFs on one node"
kind = "placement"
algorithms = ["node_first"]
seeds = [1]
server = {machine = "xeon-e5-2650-v4", reserved = 6, io = "threads"}
traffic = {mpps = 14.88, packet_bytes = 64, flows = 100000}
nf = [{name = "router"}, {name = "firewall"}]
set = [{name = "edge", chains = [["router", "firewall"]]}]
"""


@dataclass
class Deployment:
    """Two machines of servers, their environment of packages, and one of a host."""

    first: Machine
    second: Machine
    host: Path
    console: httpx.Client


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Passable for the image's user, which pytest's own folders are not; what is private in it has modes of its own."""
    with tempfile.TemporaryDirectory(prefix="sextant-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def deployment(folder: Path) -> Iterator[Deployment]:
    image, host, wheels = folder / "image", folder / "host", folder / "wheels"
    make_environment(image, wheels, "sextant-worker", "sextant-lab", runs=SERVER_RUNS)
    make_environment(host, wheels, "sextant-agent", "sextant-cli", runs=HOST_RUNS)
    copy_shared(image)
    console, fleet = any_free(), any_free()
    ports = {"8080": console, "9443": fleet}
    settings = {"SEXTANT_FLEET_URL": f"https://127.0.0.1:{fleet}", "SEXTANT_TRUSTED_PROXIES": "127.0.0.1"}
    first, second = (Machine(folder / name, ports, settings) for name in ("first", "second"))
    with servers() as secrets, httpx.Client(base_url=f"http://127.0.0.1:{console}", timeout=30) as client:
        first.prepare(secrets, image)
        second.prepare(secrets, image)
        try:
            yield Deployment(first, second, host, client)
        finally:
            for machine in (first, second):
                machine.end()


def test_the_schema_is_made_once_and_again(deployment: Deployment) -> None:
    for _ in range(2):
        done = deployment.first.run("migrate")
        assert done.returncode == 0, done.stderr


def test_every_service_becomes_healthy(deployment: Deployment) -> None:
    first = deployment.first
    first.start("certificates")
    first.wait_healthy("certificates")
    for name in SERVICES:
        if name != "certificates":
            first.start(name)
    for name in SERVICES:
        first.wait_healthy(name)
    answer = deployment.console.get("/readyz")
    assert answer.status_code == 200 and answer.json()["ready"] is True, answer.text
    assert "<html" in deployment.console.get("/").text


def test_no_process_may_write_but_where_it_is_meant_to(deployment: Deployment) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root runs them as another user")
    writes = "import os, sys; sys.exit(any(os.access(path, os.W_OK) for path in sys.argv[1:]))"
    closed = ("/", "/opt/sextant/bin", "/opt/sextant/share", "/run/secrets")
    folders = [str(deployment.first.path(path)) for path in closed]
    assert deployment.first.run("console", "-c", writes, *folders).returncode == 0
    key = deployment.first.path("/var/lib/sextant/authority/ca.key")
    assert key.stat().st_mode & 0o777 == 0o600 and key.stat().st_uid == 10001


def test_no_secret_comes_into_an_environment_a_command_line_or_a_log(deployment: Deployment) -> None:
    texts = [(deployment.first.path("/run/secrets") / name).read_text() for name in ("database-url", "redis-url")]
    passwords = [match[1] for text in texts if (match := re.search(r":([^:/@]+)@", text))]
    assert len(passwords) == 2
    passwords.append((deployment.first.path("/run/secrets") / "secrets-key").read_text())
    for service, child in deployment.first.running.items():
        shown = b"".join(Path(f"/proc/{child.pid}/{file}").read_bytes() for file in ("environ", "cmdline"))
        shown += deployment.first.log(service).encode()
        assert not any(password.encode() in shown for password in passwords), service


@pytest.fixture(scope="module")
def token(deployment: Deployment) -> str:
    """Of an administrator: hosts' enrolment is theirs."""
    made = deployment.first.run("console", "-m", "sextant_backend", "create-token", "admin", "--role", "admin")
    assert made.returncode == 0, made.stderr
    return made.stdout.splitlines()[-1]


def test_the_administrator_signs_in_through_a_proxy_with_a_secure_cookie(deployment: Deployment) -> None:
    made = deployment.first.run("console", "-m", "sextant_backend", "create-admin")
    assert made.returncode == 0, made.stderr
    login = {"username": "admin", "password": made.stdout.splitlines()[-1]}
    for scheme, secure in (("https", True), ("http", False)):
        headers = {"X-Forwarded-Proto": scheme, "X-Forwarded-For": "192.0.2.77"}
        answer = deployment.console.post("/api/v1/auth/login", json=login, headers=headers)
        assert answer.status_code == 200, answer.text
        assert ("Secure" in answer.headers["set-cookie"]) == secure
    deployment.console.cookies.clear()


def _sextant(deployment: Deployment, token: str, *arguments: str) -> Any:
    """`sextant ARGUMENTS -o json`, as an operator elsewhere runs it."""
    where = {"SEXTANT_URL": str(deployment.console.base_url), "SEXTANT_TOKEN": token, "PATH": os.defpath}
    command = [str(deployment.host / "bin" / "sextant"), *arguments, "-o", "json"]
    done = subprocess.run(command, env=where, capture_output=True, text=True, check=False, cwd=deployment.host)
    assert done.returncode == 0, f"{arguments}: {done.stdout} {done.stderr}"
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def hosts(deployment: Deployment, token: str, folder: Path) -> Iterator[list[str]]:
    """Two simulated hosts that have joined by a token alone."""
    port = any_free()
    made = _sextant(deployment, token, "hosts", "enrol", "rack-*", "--count", "2")
    agent = str(deployment.host / "bin" / "sextant-agent")
    settings = {
        "PATH": os.defpath,
        "SEXTANT_AGENT_PKI_DIR": str(folder / "agent-pki"),
        "SEXTANT_AGENT_STATE_DIR": str(folder / "agent-state"),
    }
    fleet = deployment.first.settings["SEXTANT_FLEET_URL"]
    where = ("--console", fleet, "--token-file", "-", "--listen", f"127.0.0.1:{port}")
    done = subprocess.run(
        [agent, "enrol", *where], input=made["token"], env=settings, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with (folder / "agent.log").open("wb") as log:
        child = subprocess.Popen([agent, "twin"], env=settings, stdout=log, stderr=log, start_new_session=True)
    try:
        yield ["rack-1", "rack-2"]
    finally:
        child.terminate()
        child.wait(timeout=60)


def test_hosts_join_by_enrolment_alone(deployment: Deployment, token: str, hosts: list[str]) -> None:
    def reported() -> bool:
        found = _sextant(deployment, token, "hosts")["items"]
        return len(found) == 2 and all(host["status"] == "up" for host in found)

    wait_until(reported, lambda: str(_sextant(deployment, token, "hosts")))


def test_a_further_machines_worker_has_certificates_by_the_database_and_carries_a_plan_out(
    deployment: Deployment, token: str, hosts: list[str], folder: Path
) -> None:
    first, second = deployment.first, deployment.second
    second.start("certificates", SEXTANT_CA_KEY_FILE="")
    second.wait_healthy("certificates")
    assert not list(second.path("/var/lib/sextant/authority").iterdir())
    first.stop("worker")
    second.start("worker")
    second.wait_healthy("worker")
    (folder / "edge.yaml").write_text(CHAIN)
    submitted = _sextant(deployment, token, "chains", "submit", str(folder / "edge.yaml"))
    plan = str(submitted.get("plan_id") or submitted["plan"]["id"])
    applied = _sextant(deployment, token, "plans", "apply", plan, "--wait")
    assert applied["state"] == "COMPLETED"


def test_a_study_runs_in_the_lab(deployment: Deployment, token: str, folder: Path) -> None:
    (folder / "small.toml").write_text(STUDY)
    study = _sextant(deployment, token, "studies", "run", str(folder / "small.toml"), "--wait")
    assert study["state"] == "done", study


def test_prometheus_finds_every_metric_that_its_rules_name(deployment: Deployment) -> None:
    """Of its own process; those of the fleet are held to what a console shows in test_metrics_expressions.py."""
    rules = (DEPLOY / "prometheus" / "rules.yml").read_text()
    named = set(re.findall(r"\bsextant_(?:http|ready)\w*", rules))
    scraped = deployment.console.get("/metrics").text
    assert named and named <= set(re.findall(r"^(\w+)", scraped, re.MULTILINE))
    for check in ("database", "queue", "workers"):
        assert f'sextant_ready{{check="{check}"}} 1.0' in scraped


def test_a_backup_is_made_while_all_run_by_the_programs_of_the_image(deployment: Deployment) -> None:
    file = "/var/lib/sextant/pki/monday.backup"
    for words in (("backup", file), ("check-backup", file)):
        done = deployment.first.run("migrate", "-m", "sextant_backend", *words)
        assert done.returncode == 0, done.stderr


def test_every_process_ends_in_time(deployment: Deployment) -> None:
    for machine in (deployment.second, deployment.first):
        for name in list(machine.running):
            machine.stop(name)
