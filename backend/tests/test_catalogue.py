"""The catalogue: schemas that hold, defaults that fit them, bounds that refuse."""

import json

import jsonschema
import pytest
from fastapi.testclient import TestClient
from sextant_backend.modules.nfs.catalogue import BY_NAME, CATALOGUE, MAX_MESSAGE, config_errors
from sextant_backend.modules.nfs.catalogue.nft_firewall import MAX_RULES
from sextant_domain.base import digest_of
from sextant_domain.chains.nf import CHANGEABLE, NfType
from sextant_engine.parameters import assumed_models

PREFIX = {"action": "deny", "src": "0.0.0.0/0", "dst": "192.168.7.0/24", "protocol": "udp", "dst_port": [1, 65535]}


@pytest.mark.parametrize("nf_type", CATALOGUE, ids=lambda nf_type: nf_type.name)
def test_schema_is_closed_and_its_defaults_fit(nf_type: NfType) -> None:
    jsonschema.Draft202012Validator.check_schema(nf_type.config_schema)
    assert nf_type.config_schema["additionalProperties"] is False
    defaults = nf_type.default_config()
    assert set(defaults) == set(nf_type.config_schema["properties"])
    assert nf_type.config_errors(defaults, "config") == ()
    assert nf_type.config_errors({**defaults, "surprise": 1}, "config") != ()


@pytest.mark.parametrize("nf_type", CATALOGUE, ids=lambda nf_type: nf_type.name)
def test_what_can_change_while_it_runs_is_marked(nf_type: NfType) -> None:
    """The browser reads it in the schema, the agent in the domain's table: they say the same."""
    marked = {name for name, schema in nf_type.config_schema["properties"].items() if schema.get("changeable")}
    assert marked == CHANGEABLE.get(nf_type.name, frozenset())


def test_what_can_change_is_of_types_that_there_are() -> None:
    assert CHANGEABLE.keys() <= BY_NAME.keys()


@pytest.mark.parametrize("nf_type", CATALOGUE, ids=lambda nf_type: nf_type.name)
def test_every_kind_of_file_is_a_setting_that_takes_a_digest(nf_type: NfType) -> None:
    for kind in nf_type.artefacts:
        assert nf_type.default_config()[kind.name] is None
        digest = {**nf_type.default_config(), kind.name: "sha256:" + "0" * 64}
        assert nf_type.config_errors(digest, "config") == ()
        path = {**digest, kind.name: "/etc/passwd"}
        assert [error.field for error in nf_type.config_errors(path, "config")] == [f"config.{kind.name}"]


def test_types_of_the_data_planes() -> None:
    assert list(BY_NAME) == [
        "basic-monitor",
        "bubble",
        "dpi",
        "firewall",
        "load-balancer",
        "nat",
        "nft-firewall",
        "nids",
        "router",
        "simple-forward",
        "vpn",
    ]
    assert set(BY_NAME) == {model.nf_type for model in assumed_models("any")}
    assert all(len(nf_type.short_name) <= 8 for nf_type in CATALOGUE)


@pytest.mark.parametrize(
    ("name", "config", "field"),
    [
        ("router", {"routes": [{"prefix": "192.168.0.0/33", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": "192.168.0.256/16", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": "10.0.0.0/8", "next_hop": -1}]}, "config.routes.0.next_hop"),
        ("router", {"routes": [{"prefix": "10.0.0.0/8"}]}, "config.routes.0"),
        ("router", {"routes": [{"prefix": "2001:db8::/129", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": "2001:db8:::/32", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": "2001:db8::", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": f"{'a' * 5000}::/32", "next_hop": 1}]}, "config.routes.0.prefix"),
        ("router", {"routes": [{"prefix": "2001:db8::/32", "next_hop": 1}] * 1001}, "config.routes"),
        ("firewall", {"rules": [{"action": "deny", "src": "2001:db8:::/32"}]}, "config.rules.0.src"),
        (
            "firewall",
            {"rules": [{"action": "deny", "src": "2001:db8::/32", "dst": "10.0.0.0/8"}]},
            "config.rules.0.dst",
        ),
        ("router", {"routes": [{"prefix": "10.0.0.0/8", "next_hop": 1}] * 10_001}, "config.routes"),
        ("router", {"synthetic_routes": 10_001}, "config.synthetic_routes"),
        ("router", {"seed": 1.5}, "config.seed"),
        ("firewall", {"rules": [{**PREFIX, "action": "drop"}]}, "config.rules.0.action"),
        ("firewall", {"rules": [{**PREFIX, "dst_port": [0, 65536]}]}, "config.rules.0.dst_port.1"),
        ("firewall", {"rules": [{**PREFIX, "dst_port": [80]}]}, "config.rules.0.dst_port"),
        ("firewall", {"rules": [PREFIX] * 10_001}, "config.rules"),
        ("firewall", {"rules": [PREFIX, {**PREFIX, "dst_port": [80, 79]}]}, "config.rules.1.dst_port"),
        ("firewall", {"rules": [{"src": "10.0.0.0/8"}]}, "config.rules.0"),
        ("firewall", {"default_action": None}, "config.default_action"),
        ("nft-firewall", {"rules": [{**PREFIX, "action": "drop"}]}, "config.rules.0.action"),
        ("nft-firewall", {"rules": [PREFIX] * 257}, "config.rules"),
        ("nft-firewall", {"rules": [PREFIX, {**PREFIX, "dst_port": [80, 79]}]}, "config.rules.1.dst_port"),
        ("nft-firewall", {"synthetic_rules": 1}, "config"),
        ("basic-monitor", {"flow_table_entries": 2**21}, "config.flow_table_entries"),
        ("dpi", {"flow_table_entries": 0}, "config.flow_table_entries"),
        ("dpi", {"inspected_packets": 33}, "config.inspected_packets"),
        ("nids", {"patterns": ["a", ""]}, "config.patterns.1"),
        ("nids", {"patterns": ["a" * 513]}, "config.patterns.0"),
        ("nids", {"patterns_file": "patterns.txt"}, "config.patterns_file"),
        ("nids", {"action": "deny"}, "config.action"),
        ("nids", {"patterns": ["a"] * 4701}, "config.synthetic_patterns"),  # 4701 + 300 generated > 5000
        ("vpn", {"mode": "both"}, "config.mode"),
        ("vpn", {"tunnel_src": "198.18.0.256"}, "config.tunnel_src"),
        ("vpn", {"mtu": 1601}, "config.mtu"),
        ("simple-forward", {"loops": -1}, "config.loops"),
        ("simple-forward", {"loops": True}, "config.loops"),
        ("nat", {"public_prefix": "203.0.112.0/23"}, "config.public_prefix"),
        ("nat", {"public_prefix": "10.1.0.0/24"}, "config.public_prefix"),
        ("nat", {"inside_prefixes": ["203.0.0.0/16"]}, "config.public_prefix"),
        ("nat", {"inside_prefixes": []}, "config.inside_prefixes"),
        ("nat", {"last_port": 1023}, "config.first_port"),
        ("load-balancer", {"backends": []}, "config.backends"),
        ("load-balancer", {"backends": [{"address": "10.0.0.0/8"}]}, "config.backends.0.address"),
        ("load-balancer", {"backends": [{"address": "192.168.3.4"}]}, "config.backends.0.address"),
        ("load-balancer", {"backends": [{"address": "10.0.0.1"}] * 2}, "config.backends.1.address"),
        ("load-balancer", {"table_size": 250}, "config.table_size"),
        ("load-balancer", {"connection_table_entries": 63}, "config.connection_table_entries"),
        ("bubble", {"working_set_bytes": 100_000}, "config.working_set_bytes"),
        ("bubble", {"working_set_bytes": 4096, "stride_bytes": 8192}, "config.stride_bytes"),
        ("bubble", {"write_share": 1.5}, "config.write_share"),
    ],
)
def test_configuration_that_does_not_fit_is_named(name: str, config: dict[str, object], field: str) -> None:
    errors = config_errors(BY_NAME[name], config, "config")
    assert [error.field for error in errors] == [field]
    assert len(errors[0].message) <= MAX_MESSAGE + len(" ... ")


def test_a_secret_is_not_repeated() -> None:
    (error,) = config_errors(BY_NAME["vpn"], {"key": "c0ffee"}, "config")
    assert error.field == "config.key"
    assert "c0ffee" not in error.message
    assert "40 hexadecimal digits" in error.message


def test_a_setting_that_names_a_file_has_a_kind_of_artefact() -> None:
    for nf_type in CATALOGUE:
        by_digest = {
            key for key, schema in nf_type.config_schema["properties"].items() if "sha256" in schema.get("pattern", "")
        }
        assert by_digest == {kind.name for kind in nf_type.artefacts}


def test_a_full_list_of_rules_fits() -> None:
    assert config_errors(BY_NAME["firewall"], {"rules": [PREFIX] * 10_000}, "config") == ()


def test_the_firewall_in_the_kernel_takes_what_the_other_takes() -> None:
    """So that one can take the place of the other in a chain: it has the same settings, and fewer of them."""
    kernel, other = (BY_NAME[name].config_schema["properties"] for name in ("nft-firewall", "firewall"))
    assert kernel.keys() < other.keys()
    in_kernel = {"maxItems": MAX_RULES, "changeable": True}
    assert kernel["rules"] == {**other["rules"], **in_kernel}
    assert kernel["default_action"] == {**other["default_action"], "changeable": True}


def test_catalogue_is_served(client: TestClient) -> None:
    page = client.get("/api/v1/nf-types?limit=3").json()
    rest = client.get(f"/api/v1/nf-types?after={page['next']}").json()
    assert [item["name"] for item in page["items"] + rest["items"]] == list(BY_NAME)
    answer = client.get("/api/v1/nf-types/router")
    assert answer.json() == BY_NAME["router"].model_dump(mode="json")
    assert answer.headers["ETag"] == f'"{digest_of(BY_NAME["router"])}"'
    missing = client.get("/api/v1/nf-types/teapot")
    assert missing.status_code == 404 and "firewall" in missing.json()["detail"]


@pytest.mark.parametrize("nf_type", CATALOGUE, ids=lambda nf_type: nf_type.name)
def test_a_secret_is_a_whole_setting_that_stays_while_it_runs(nf_type: NfType) -> None:
    """What takes secrets out of a chain looks at settings of a chain that is submitted, and nowhere else."""
    assert json.dumps(nf_type.config_schema).count('"writeOnly": true') == len(nf_type.secrets)
    assert not nf_type.secrets & CHANGEABLE.get(nf_type.name, frozenset())
    assert all(nf_type.default_config()[setting] is None for setting in nf_type.secrets)


def test_the_key_of_a_vpn_is_one() -> None:
    assert {nf_type.name: nf_type.secrets for nf_type in CATALOGUE if nf_type.secrets} == {"vpn": {"key"}}
