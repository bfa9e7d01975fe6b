"""docker-compose.yml: everything it names is there, and no service may do more than it has to."""

import re
import subprocess
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from sextant_backend.kit.tasks import Queue
from sextant_backend.modules.studies import limits
from sextant_backend.settings import Settings
from sextant_backend.settings.addresses import checked_origin

from deploy.tests.commands import judge, port_of
from deploy.tests.files import (
    ADDRESS,
    DEPLOY,
    ROOT,
    compose,
    compose_text,
    image_environment,
    interpolated,
    own_services,
    services,
    stages,
)

FILES = {"DATABASE_URL_FILE", "REDIS_URL_FILE"}
SETTINGS = {f"SEXTANT_{name.upper()}" for name in Settings.model_fields} | FILES
LISTENING = {"console", "fleet"}
WITH_AUTHORITY = {"certificates", "fleet"}
WITH_SECRETS = {"console", "migrate", "worker"}
WITH_CERTIFICATES = {"certificates", "console", "fleet", "worker", "profiler"}
"""The authority; listeners; the queues that order agents. Nobody else."""


def _written_by_init(folder: Path) -> Path:
    """What `deploy/init.sh` makes, in a folder of its own."""
    assert _init(folder, ADDRESS["SEXTANT_FLEET_ADDRESS"]).returncode == 0
    return folder


def _init(folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    (folder / "deploy").mkdir(exist_ok=True)
    command = ["sh", str(DEPLOY / "init.sh"), address, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", services())
def test_every_service_is_confined(name: str) -> None:
    service = services()[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service and "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].split(":")[0] not in ("0", "root")
    assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")
    assert service["pids_limit"] > 0 and _bytes(service["mem_limit"]) > 0
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert ("healthcheck" in service) == (name != "migrate")
    full = re.search(r":v?\d+\.\d+(\.\d+)?(-bookworm)?$", service["image"])
    assert full or service["image"] == "sextant:local", "an image whose version is not whole"


@pytest.mark.parametrize("name", own_services())
def test_every_command_and_health_check_is_one_that_the_programs_take(name: str) -> None:
    service = services()[name]
    judge(service["command"])
    if name == "migrate":
        return
    kind, *look = service["healthcheck"]["test"]
    assert kind == "CMD" and judge(look).startswith("sextant_backend.check ")
    assert port_of(look) == port_of(service["command"])


def _bytes(size: str) -> int:
    return int(size[:-1]) << {"m": 20, "g": 30}[size[-1]]


def test_exactly_one_service_builds_the_image_and_the_others_wait_for_it() -> None:
    """Builds of one tag at the same time fail; a tag that is only local cannot be pulled."""
    assert {name for name, service in services().items() if "build" in service} == {"migrate"}
    assert services()["migrate"]["pull_policy"] == "build"
    for name in own_services().keys() - {"migrate"}:
        assert services()[name]["pull_policy"] == "never"
        assert services()[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_all_containers_fit_a_host_of_16_gib() -> None:
    """With 2 GiB for the system. One container a service: who scales a queue needs more."""
    assert sum(_bytes(service["mem_limit"]) for service in services().values()) <= 14 << 30


def test_a_servers_memory_is_within_its_containers() -> None:
    command = services()["valkey"]["command"]
    assert 2 * _bytes(command[command.index("--maxmemory") + 1][:-1]) <= _bytes(services()["valkey"]["mem_limit"])
    assert _bytes(services()["lab"]["mem_limit"]) > limits.MEMORY_BYTES


def test_every_queue_has_a_worker() -> None:
    run = sorted(judge(service["command"]) for service in own_services().values())
    assert run == sorted(
        [
            *(f"sextant_worker {queue}" for queue in Queue),
            *(f"sextant_backend {name}" for name in ("migrate", "certificates", "console", "fleet")),
        ]
    )


@pytest.mark.parametrize("name", own_services())
def test_every_setting_is_one(name: str) -> None:
    assert set(services()[name]["environment"]) <= SETTINGS


def test_the_settings_are_accepted() -> None:
    addresses = {"database_url": "postgresql+psycopg://sextant@postgres/sextant", "redis_url": "redis://valkey/0"}
    for service in own_services().values():
        given = {key.removeprefix("SEXTANT_").lower(): value for key, value in service["environment"].items()}
        Settings.model_validate(addresses | {key: value for key, value in given.items() if not key.endswith("_file")})


def test_no_secret_stands_in_the_file() -> None:
    for service in services().values():
        for name, value in service.get("environment", {}).items():
            assert name.endswith("_FILE") or not re.search("PASSWORD|SECRET|TOKEN|_KEY$", name), name
            assert not re.search(r"://[^/\s]*@", value), name
    assert all(set(secret) == {"file"} for secret in compose()["secrets"].values())


def test_secrets_are_those_that_init_writes_and_that_are_used(tmp_path: Path) -> None:
    written = {path.name for path in (_written_by_init(tmp_path) / "deploy" / "secrets").iterdir()}
    known = {name: Path(secret["file"]).name for name, secret in compose()["secrets"].items()}
    used = {name for service in services().values() for name in service.get("secrets", [])}
    assert written == set(known.values()) and used == set(known)
    scraping = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    mounted = set(re.findall(r"/run/secrets/([\w.-]+)", compose_text() + scraping))
    assert mounted == set(known)


def test_init_gives_both_sides_of_each_server_the_same_password(tmp_path: Path) -> None:
    folder = _written_by_init(tmp_path)
    secrets = {path.name: path.read_text().strip() for path in (folder / "deploy" / "secrets").iterdir()}
    password, queue = secrets["postgres-password"], secrets["valkey.conf"].removeprefix("requirepass ")
    assert re.fullmatch("[0-9a-f]{64}", secrets["secrets-key"])
    assert re.fullmatch("[0-9a-f]{64}", secrets["audit-key"]) and secrets["audit-key"] != secrets["secrets-key"]
    assert re.fullmatch("[0-9a-f]{48}", password) and re.fullmatch("[0-9a-f]{48}", queue) and password != queue
    assert secrets["database-url"] == f"postgresql+psycopg://sextant:{password}@postgres:5432/sextant"
    assert secrets["redis-url"] == f"redis://:{queue}@valkey:6379/0"
    environment = dict(line.split("=") for line in (folder / ".env").read_text().splitlines() if line[0] != "#")
    assert yaml.safe_load(interpolated(compose_text(), environment)) == compose()


@pytest.mark.parametrize(
    ("address", "stands_for"),
    [
        ("fleet.example.org", "https://fleet.example.org:9443"),
        ("192.0.2.10", "https://192.0.2.10:9443"),
        ("2001:db8::1", "https://[2001:db8::1]:9443"),
        ("[2001:db8::1]", "https://[2001:db8::1]:9443"),
    ],
)
def test_init_writes_addresses_as_urls_have_them(tmp_path: Path, address: str, stands_for: str) -> None:
    assert _init(tmp_path, address).returncode == 0
    environment = dict(line.split("=") for line in (tmp_path / ".env").read_text().splitlines() if line[0] != "#")
    composed: dict[str, Any] = yaml.safe_load(interpolated(compose_text(), environment))
    assert composed["services"]["fleet"]["environment"]["SEXTANT_FLEET_URL"] == stands_for
    assert checked_origin(stands_for) == stands_for


@pytest.mark.parametrize(
    "address",
    [
        "",
        "192.0.2.10:9443",
        "fleet.example.org:9443",
        "[2001:db8::1]:9443",
        "[rack]",
        "fe80::1%eth0",
        "-h",
        "a b",
        "a/b",
    ],
)
def test_init_refuses_what_is_no_address_and_writes_nothing(tmp_path: Path, address: str) -> None:
    done = _init(tmp_path, address)
    assert done.returncode == 2 and "sh deploy/init.sh ADDRESS" in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "deploy"] and not list((tmp_path / "deploy").iterdir())


def test_init_changes_nothing_that_is_there(tmp_path: Path) -> None:
    folder = _written_by_init(tmp_path)
    before = (folder / "deploy" / "secrets" / "redis-url").read_text()
    again = _init(folder, "192.0.2.9")
    assert again.returncode == 1 and "nothing was changed" in again.stderr
    assert (folder / "deploy" / "secrets" / "redis-url").read_text() == before


def test_without_an_address_for_hosts_compose_says_what_to_do() -> None:
    with pytest.raises(KeyError, match=r"run sh deploy/init.sh ADDRESS"):
        interpolated(compose_text(), {})


def test_volumes_are_defined_used_and_there() -> None:
    made = " ".join(argument for keyword, argument in stages()["sextant"] if keyword == "RUN")
    used = set()
    for service in services().values():
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            if source.startswith("./"):
                assert (ROOT / source).is_file() and volume.endswith(":ro")
            else:
                used.add(source)
            assert service not in own_services().values() or target in made, "a folder that would be root's"
    assert used == set(compose()["volumes"])


def test_the_authoritys_key_and_certificates_go_to_those_that_need_them() -> None:
    mounts = {name: {v.split(":")[0] for v in service.get("volumes", [])} for name, service in services().items()}
    with_key = {name for name, service in own_services().items() if "SEXTANT_CA_KEY_FILE" in service["environment"]}
    assert {name for name, volumes in mounts.items() if "authority" in volumes} == with_key == WITH_AUTHORITY
    assert {name for name, volumes in mounts.items() if "pki" in volumes} == WITH_CERTIFICATES
    writable = {
        name for name, service in own_services().items() for v in service.get("volumes", []) if not v.endswith(":ro")
    }
    assert writable == {"certificates"}
    assert image_environment()["SEXTANT_PKI_DIR"] == "/var/lib/sextant/pki"


def test_only_what_people_and_hosts_come_to_is_published() -> None:
    published = {name: service["ports"] for name, service in services().items() if "ports" in service}
    assert published == {
        "console": ["127.0.0.1:8080:8080"],
        "fleet": ["9443:9443"],
        "prometheus": ["127.0.0.1:9090:9090"],
    }
    for name in LISTENING:
        command = services()[name]["command"]
        assert command[command.index("--address") + 1] == "0.0.0.0"
        assert published[name][0].endswith(f":{port_of(command)}")


def test_the_servers_are_reached_from_inside_only() -> None:
    networks = compose()["networks"]
    assert {name for name, network in networks.items() if (network or {}).get("internal")} == {"data"}
    for name, service in services().items():
        assert set(service["networks"]) <= set(networks)
        assert ("data" in service["networks"]) == (name != "prometheus")
        assert (service["networks"] == ["data"]) == (name not in {*WITH_CERTIFICATES, "prometheus"} - {"certificates"})


def test_the_console_believes_its_own_networks_gateway_only() -> None:
    """Prometheus is in that network: what it says of whom it asks for would be believed by a whole subnet's trust."""
    (front,) = compose()["networks"]["front"]["ipam"]["config"]
    trusted = ip_address(services()["console"]["environment"]["SEXTANT_TRUSTED_PROXIES"])
    assert trusted == ip_address(front["gateway"]) and trusted in ip_network(front["subnet"])
    other = {**ADDRESS, "SEXTANT_FRONT_SUBNET": "10.9.8.0/29", "SEXTANT_FRONT_GATEWAY": "10.9.8.1"}
    composed: dict[str, Any] = yaml.safe_load(interpolated(compose_text(), other))
    assert composed["services"]["console"]["environment"]["SEXTANT_TRUSTED_PROXIES"] == "10.9.8.1"
    assert composed["networks"]["front"]["ipam"]["config"] == [{"subnet": "10.9.8.0/29", "gateway": "10.9.8.1"}]


def test_what_is_waited_for_can_come() -> None:
    for service in services().values():
        for other, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in services()[other]
            else:
                assert wanted["condition"] == "service_completed_successfully" and services()[other]["restart"] == "no"
    for name in WITH_CERTIFICATES - {"certificates"}:
        assert services()[name]["depends_on"]["certificates"] == {"condition": "service_healthy"}


def test_prometheus_scrapes_the_console_where_it_listens() -> None:
    configuration = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    for job in configuration["scrape_configs"]:
        assert job["static_configs"] == [{"targets": [f"console:{port_of(services()['console']['command'])}"]}]
    mounted = {volume.split(":")[0] for volume in services()["prometheus"]["volumes"]}
    assert {f"./deploy/prometheus/{name}" for name in ("prometheus.yml", *configuration["rule_files"])} <= mounted
