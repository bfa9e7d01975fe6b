"""NF types: default configuration, and what is wrong with one that is given."""

from sextant_domain.chains.nf import NfType

MONITOR = NfType(
    name="basic-monitor",
    version=1,
    short_name="monitor",
    summary="Counts packets and bytes a flow.",
    library="rte_hash",
    config_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "flow_table_entries": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 65536},
            "export": {"type": "array", "items": {"type": "string"}, "default": []},
        },
    },
)


def test_the_defaults_are_those_of_the_schema_and_fit_it() -> None:
    assert MONITOR.default_config() == {"flow_table_entries": 65536, "export": []}
    assert MONITOR.config_errors(MONITOR.default_config(), "nfs.0.config") == ()


def test_every_wrong_setting_is_named_by_its_path() -> None:
    errors = MONITOR.config_errors({"flow_table_entries": 0, "export": ["a", 7], "colour": "red"}, "nfs.0.config")
    assert [error.field for error in errors] == [
        "nfs.0.config",
        "nfs.0.config.export.1",
        "nfs.0.config.flow_table_entries",
    ]
    assert "'colour' was unexpected" in errors[0].message


REFERENCE = f"secret:{'0a' * 16}"
SEALED = NfType(
    name="sealed",
    version=1,
    short_name="sealed",
    summary="Has a key.",
    library="none",
    config_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "key": {"type": "string", "anyOf": [{"pattern": "^[0-9a-f]{4}$"}], "writeOnly": True, "default": "0000"},
            "note": {"type": "string", "default": ""},
        },
    },
)


def test_a_secret_is_given_or_named_and_no_error_repeats_it() -> None:
    """Also where the rule that it breaks stands deeper in the schema than the mark."""
    assert SEALED.secrets == {"key"}
    for fitting in ({"key": "c0de"}, {"key": REFERENCE}):
        assert SEALED.config_errors(fitting, "config") == ()
    for wrong in ("canary", ["canary"], {"canary": "canary"}, REFERENCE + "0"):
        [*errors] = SEALED.config_errors({"key": wrong}, "config")
        assert errors
        assert all(error.field == "config.key" and "canary" not in error.message for error in errors)


def test_a_reference_stands_in_no_other_place() -> None:
    [error] = SEALED.config_errors({"note": REFERENCE}, "config")
    assert (error.field, error.message) == ("config.note", "this setting takes no reference to a secret")
