"""From the domain's traffic to the runner's source, and the real runner takes all that the domain does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_agent.control.ordered_source import source_of
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain

from .orders import HOST, chain, content, nf
from .waiting import wait_for

DIGEST = "sha256:" + "0a" * 32


def ordered(**fields: Any) -> DesiredChain:
    """A chain with that traffic beside its rate."""
    plain = chain("web", nf("web", "basic-monitor"))
    least = {} if fields.get("sizes") else {"packet_bytes": 64}
    return plain.model_copy(
        update={"traffic": Traffic.model_validate({"rate_mpps": 0.01, "flows": 100, **least, **fields})}
    )


def shape(**fields: Any) -> dict[str, Any]:
    """What the runner is sent besides the plain source."""
    reported = source_of(ordered(**fields))
    return {key: value for key, value in reported.items() if key not in ("rate_mpps", "packet_bytes", "flows", "match")}


def test_a_plain_source_is_ordered_as_before() -> None:
    assert source_of(ordered()) == {
        "rate_mpps": 0.01,
        "packet_bytes": 64,
        "flows": 100,
        "match": {"src_prefix": "10.0.0.0/8", "dst_prefix": "192.168.0.0/16", "protocol": "udp", "dst_port": None},
    }


def test_shares_and_steps_become_pairs() -> None:
    reported = shape(sizes=[[64, 7], [1518, 1]], arrivals={"kind": "trace", "steps": [[10, 0.5]]}, seed=7)
    assert reported == {
        "sizes": {"kind": "list", "entries": [[64, 7], [1518, 1]]},
        "arrivals": {"kind": "trace", "steps": [[10.0, 0.5]]},
        "seed": 7,
    }


def test_a_capture_is_named_by_its_digest() -> None:
    assert shape(pcap=DIGEST) == {"pcap": {"file": DIGEST, "timing": "rate"}}


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory, runner_binary: Path) -> Iterator[TestbedDriver]:
    """One runner for all examples."""
    state = tmp_path_factory.mktemp("state")
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()
    stop_recorded_runner(state)


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=22).filter(
    lambda given: 4 <= len(given.encode()) <= 22
)
traffics = st.fixed_dictionaries(
    {"rate_mpps": st.floats(0, 0.02), "flows": st.integers(1, 1_000_000)},
    optional={
        "sizes": st.just("imix")
        | st.lists(st.tuples(st.integers(64, 1518), st.integers(1, 1_000_000)), min_size=1, max_size=16)
        | st.builds(lambda size: {"kind": "fixed", "bytes": size}, st.integers(64, 1518)),
        "arrivals": st.sampled_from(["constant", "poisson"])
        | st.builds(
            lambda on, off: {"kind": "on-off", "on_ms": on, "off_ms": off}, st.floats(1, 60_000), st.floats(1, 60_000)
        )
        | st.builds(
            lambda steps: {"kind": "trace", "steps": steps},
            st.lists(st.tuples(st.floats(0.001, 3600), st.floats(0, 1000)), min_size=1, max_size=64),
        ),
        "flow_distribution": st.sampled_from(["round-robin", "uniform"])
        | st.builds(lambda exponent: {"kind": "zipf", "exponent": exponent}, st.floats(0.01, 4)),
        "payload": st.sampled_from(["zero", "random"])
        | st.builds(
            lambda percent, strings: {"kind": "matches", "percent": percent, "strings": strings},
            st.floats(0, 100),
            st.lists(text, min_size=1, max_size=32),
        ),
        "seed": st.integers(0, 2**32 - 1),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(traffics)
def test_the_runner_takes_what_the_domain_takes(driver: TestbedDriver, fields: dict[str, Any]) -> None:
    try:
        asked = ordered(**fields)
    except ValidationError:
        reject()  # a peak above the highest rate
    report = driver.apply(content(asked))
    assert not report.failures
    assert driver.apply(content(asked)).done == ()


def test_mixed_traffic_arrives_as_asked(driver: TestbedDriver) -> None:
    """IMIX: 361.8 bytes in the mean, with a deviation of 425.5; six standard errors of 5000 packets are 36."""
    asked = ordered(rate_mpps=0.02, sizes="imix", arrivals="poisson", flow_distribution="uniform", payload="random")
    driver.apply(content())
    driver.apply(content(asked))
    wait_for("5000 packets", lambda: driver.sample().chains["web"].delivered > 5000)
    found = driver.sample().chains["web"]
    assert found.delivered_bytes is not None
    assert abs(found.delivered_bytes / found.delivered - 361.8) < 37
    used = driver.sample().traffic
    assert used is not None and used.cpu_ns > 0 and used.core == driver.inventory().traffic_core
