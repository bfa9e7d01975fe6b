"""Which hosts a process simulates: names, patterns with a count, machines; errors that name the setting."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from sextant_agent.settings import settings_error
from sextant_agent.simulated.settings import DEFAULT_MACHINE, SimulatedSettings
from sextant_twin.backpressure import Backpressure


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEXTANT_AGENT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("SEXTANT_AGENT_PKI_DIR", str(tmp_path / "pki"))
    return tmp_path


def hosts(text: str) -> dict[str, str]:
    return {host.host_id: host.machine for host in SimulatedSettings.model_validate({"hosts": text}).hosts}


def test_names_and_patterns_have_machines() -> None:
    """Numbers have as many digits as the last: of ten, 01 to 10."""
    assert hosts("edge-7=epyc-7301, lab") == {"edge-7": "epyc-7301", "lab": DEFAULT_MACHINE}
    many = hosts("demo-*:10=xeon-e5-2650-v4")
    assert list(many)[:2] == ["demo-01", "demo-02"] and len(many) == 10
    assert set(many.values()) == {"xeon-e5-2650-v4"}
    assert hosts("lab=epyc-7301-smt") == {"lab": "epyc-7301-smt"}


def test_the_environment_names_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_AGENT_HOSTS", "edge-7")
    assert [host.host_id for host in SimulatedSettings().hosts] == ["edge-7"]


def test_without_names_it_is_all_that_were_enrolled(folders: Path) -> None:
    (folders / "pki" / "hosts").mkdir(parents=True)
    for name in ("demo-2", "demo-1"):
        (folders / "pki" / "hosts" / f"{name}.crt").touch()
    assert [host.host_id for host in SimulatedSettings().hosts] == ["demo-1", "demo-2"]


def test_big_fleets_step_once_a_second() -> None:
    assert SimulatedSettings.model_validate({"hosts": "demo-*:199"}).period_s == 0.1
    assert SimulatedSettings.model_validate({"hosts": "demo-*:200"}).period_s == 1.0
    assert SimulatedSettings.model_validate({"hosts": "demo-*:200", "steps_per_second": 2}).period_s == 0.5


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("", "is not set"),
        ("Edge_7", "'Edge_7' is not NAME"),
        ("demo-*", "goes with a pattern"),
        ("demo-*:0", "greater than or equal to 1"),
        ("demo-*:1001", "less than or equal to 1000"),
        ("demo-*:9999", "less than or equal to 1000"),
        ("demo-*:600,lab-*:600", "at most 1000"),
        ("edge-7,edge-7", "'edge-7' stands twice"),
        ("edge-7=cray-1", "no data of a machine 'cray-1'"),
        ("edge-7=cray-1-smt", "no data of a machine 'cray-1-smt'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text: str, reported: str) -> None:
    with pytest.raises(ValidationError) as raised:
        SimulatedSettings.model_validate({"hosts": text} if text else {})
    message = settings_error(raised.value)
    assert message.startswith("SEXTANT_AGENT_HOSTS: ") and reported in message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("none", Backpressure.NONE),
        ("watermarks", Backpressure.WATERMARKS),
        ("Strict", Backpressure.STRICT),
        *((text, Backpressure.STRICT) for text in ("true", "True", "1", "yes", "on", "t", "y")),
        *((text, Backpressure.NONE) for text in ("false", "FALSE", "0", "no", "off", "f", "n")),
    ],
)
def test_backpressure_was_once_on_or_off(text: str, meant: Backpressure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_AGENT_BACKPRESSURE", text)
    assert SimulatedSettings.model_validate({"hosts": "edge-7"}).backpressure is meant


@pytest.mark.parametrize("text", ["watermark", "2", "nfvnice"])
def test_what_is_no_way_to_drop_is_refused_with_those_that_are(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_AGENT_BACKPRESSURE", text)
    with pytest.raises(ValidationError) as raised:
        SimulatedSettings.model_validate({"hosts": "edge-7"})
    message = settings_error(raised.value)
    assert message.startswith("SEXTANT_AGENT_BACKPRESSURE: ")
    assert all(f"'{way}'" in message for way in Backpressure)
