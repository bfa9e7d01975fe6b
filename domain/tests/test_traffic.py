"""Traffic as operators write it: short forms, means and peaks with the arithmetic written out, refusals by field."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.chains.traffic_kinds import (
    Imix,
    MatchPayload,
    OnOff,
    Replay,
    SizeList,
    SizeShare,
    Zipf,
    without_kinds,
)

DIGEST = "sha256:" + "0a" * 32


def traffic(**fields: Any) -> Traffic:
    return Traffic.model_validate({"rate_mpps": 0.1, **({} if "sizes" in fields else {"packet_bytes": 64}), **fields})


def test_the_simple_form_stays_as_it_was() -> None:
    plain = traffic()
    assert plain.model_dump(mode="json") == {"rate_mpps": 0.1, "packet_bytes": 64, "flows": 1000}
    assert (plain.mean_packet_bytes, plain.smallest_packet_bytes, plain.peak_mpps) == (64, 64, 0.1)
    assert plain.offered_gbps == pytest.approx(0.0512), "0.1 Mpps x 64 B x 8 bit"


def test_a_word_is_short_for_a_kind() -> None:
    assert traffic(sizes="imix", arrivals="poisson", flow_distribution="uniform", payload="random") == traffic(
        sizes={"kind": "imix"},
        arrivals={"kind": "poisson"},
        flow_distribution={"kind": "uniform"},
        payload={"kind": "random"},
    )
    assert traffic(sizes=[[64, 1], [1518, 3]]).sizes == SizeList(
        kind="list", entries=(SizeShare(bytes=64, weight=1), SizeShare(bytes=1518, weight=3))
    )
    assert traffic(pcap=DIGEST).pcap == Replay(file=DIGEST, timing="rate")


def test_imix_has_its_mean() -> None:
    """(7 x 64 + 4 x 594 + 1518) / 12 = (448 + 2376 + 1518) / 12 = 4342 / 12 = 361.83."""
    mixed = traffic(sizes="imix")
    assert mixed.sizes == Imix(kind="imix")
    assert mixed.mean_packet_bytes == pytest.approx(361.8333)
    assert (mixed.packet_bytes, mixed.smallest_packet_bytes) == (362, 64)
    assert mixed.offered_gbps == pytest.approx(0.2894667), "0.1 x 361.83 x 8 / 1000"


def test_the_mean_of_a_list_is_weighted() -> None:
    """(100 + 3 x 300) / 4 = 250."""
    assert traffic(sizes=[[300, 3], [100, 1]]).packet_bytes == 250
    assert traffic(sizes={"kind": "fixed", "bytes": 777}).packet_bytes == 777


def test_bursts_have_the_rate_as_their_mean() -> None:
    """On for 5 of 20 ms: 4 times the rate while on."""
    bursts = traffic(arrivals={"kind": "on-off", "on_ms": 5, "off_ms": 15})
    assert bursts.arrivals == OnOff(kind="on-off", on_ms=5.0, off_ms=15.0)
    assert bursts.peak_mpps == pytest.approx(0.4)


def test_a_trace_has_the_rate_as_its_mean() -> None:
    """10 s at 1 and 5 s at 4 have a mean of 30 / 15 = 2, so the peak is twice the rate."""
    assert traffic(arrivals={"kind": "trace", "steps": [[10, 1], [5, 4]]}).peak_mpps == pytest.approx(0.2)


FULL: dict[str, Any] = {
    "sizes": [[64, 7], [1518, 1]],
    "arrivals": {"kind": "trace", "steps": [[1.5, 0], [2.5, 1]]},
    "flow_distribution": {"kind": "zipf", "exponent": 1.1},
    "payload": {"kind": "matches", "percent": 5, "strings": ["evil", "naïve"]},
    "seed": 7,
}


def test_it_is_the_same_after_a_way_over_json() -> None:
    for made in (traffic(**FULL), traffic(pcap={"file": DIGEST, "timing": "file"}), traffic(arrivals="constant")):
        assert Traffic.model_validate_json(made.model_dump_json()) == made
    full = traffic(**FULL)
    assert isinstance(full.payload, MatchPayload) and full.payload.strings == ("evil", "naïve")
    assert full.flow_distribution == Zipf(kind="zipf", exponent=1.1)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"sizes": "jumbo"}, "sizes"),
        ({"sizes": 7}, "sizes"),
        ({"sizes": []}, "sizes.entries"),
        ({"sizes": [[64, 1]] * 17}, "sizes.entries"),
        ({"sizes": [[64, 1], [63, 1]]}, "sizes.entries.1.bytes"),
        ({"sizes": [[64, 0]]}, "sizes.entries.0.weight"),
        ({"sizes": [[64]]}, "sizes.entries.0"),
        ({"sizes": [["64", 1]]}, "sizes.entries.0.bytes"),
        ({"sizes": {"kind": "imix", "bytes": 64}}, "sizes.bytes"),
        ({"sizes": {"kind": "fixed", "bytes": 9000}}, "sizes.bytes"),
        ({"arrivals": "pareto"}, "arrivals"),
        ({"arrivals": {"kind": "on-off", "on_ms": 0.5, "off_ms": 1}}, "arrivals.on_ms"),
        ({"arrivals": {"kind": "trace", "steps": [[0, 1]]}}, "arrivals.steps.0.seconds"),
        ({"arrivals": {"kind": "trace", "steps": [[1, 0]]}}, "arrivals"),
        ({"arrivals": {"kind": "trace", "steps": [[0.001, 5e-324]]}}, "arrivals"),
        ({"arrivals": {"kind": "trace", "steps": [[1, 1]] * 65}}, "arrivals.steps"),
        ({"flow_distribution": {"kind": "zipf"}}, "flow_distribution.exponent"),
        ({"flow_distribution": {"kind": "zipf", "exponent": 0}}, "flow_distribution.exponent"),
        ({"payload": {"kind": "matches", "percent": 101, "strings": ["evil"]}}, "payload.percent"),
        ({"payload": {"kind": "matches", "percent": 1, "strings": ["abc"]}}, "payload.strings.0"),
        ({"payload": {"kind": "matches", "percent": 1, "strings": ["ab\0cd"]}}, "payload.strings.0"),
        ({"payload": {"kind": "matches", "percent": 1, "strings": ["x" * 65]}}, "payload.strings.0"),
        ({"payload": {"kind": "matches", "percent": 1, "strings": []}}, "payload.strings"),
        ({"pcap": "/etc/passwd"}, "pcap.file"),
        ({"pcap": {"file": DIGEST, "timing": "fast"}}, "pcap.timing"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**32}, "seed"),
    ],
)
def test_what_is_wrong_is_named_once(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as raised:
        traffic(**fields)
    assert [".".join(map(str, without_kinds(error["loc"]))) for error in raised.value.errors()] == [field]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"packet_bytes": 64, "sizes": "imix"}, "sizes", "their mean is 362 bytes, but packet_bytes says 64"),
        ({"pcap": DIGEST, "packet_bytes": 700, "sizes": [[700, 1]]}, "sizes", "a capture has its own"),
        ({"pcap": DIGEST, "flow_distribution": "uniform"}, "flow_distribution", "a capture has its own"),
        ({"pcap": DIGEST, "payload": "random"}, "payload", "a capture has its own"),
        ({"pcap": {"file": DIGEST, "timing": "file"}, "arrivals": "poisson"}, "arrivals", "timing 'file' keeps"),
        # 0.1 Mpps in 1 of 10,001 ms
        ({"arrivals": {"kind": "on-off", "on_ms": 1, "off_ms": 10_000}}, "arrivals", "needs 1000 Mpps at the peak"),
    ],
)
def test_fields_that_do_not_go_together_are_refused(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as raised:
        traffic(**fields)
    assert [error["loc"] for error in raised.value.errors()] == [(field,)]


def test_strings_must_fit_into_the_smallest_packet() -> None:
    """64 bytes less 14 + 20 + 8 leave 22 of UDP, less 14 + 20 + 20 leave 10 of TCP."""
    strings = {"kind": "matches", "percent": 1, "strings": ["evil", "/etc/passwd"]}
    chain = {"name": "edge", "nfs": ["router"], "traffic": {"rate_mpps": 0.1, "sizes": "imix", "payload": strings}}
    ChainSpec.model_validate(chain)
    with pytest.raises(ValidationError, match=r"traffic\.payload\.strings\.1: its 11 bytes do not fit .*\(10 bytes\)"):
        ChainSpec.model_validate({**chain, "ingress": {"match": {"protocol": "tcp"}}})


@given(
    rate=st.floats(0, 1),
    on=st.floats(1, 60_000),
    off=st.floats(1, 60_000),
)
def test_a_peak_sent_for_its_share_of_time_gives_the_rate(rate: float, on: float, off: float) -> None:
    try:
        bursts = traffic(rate_mpps=rate, arrivals={"kind": "on-off", "on_ms": on, "off_ms": off})
    except ValidationError:
        assert rate * (on + off) / on > 148.8
        return
    assert bursts.peak_mpps * on / (on + off) == pytest.approx(rate)


@given(st.lists(st.tuples(st.integers(64, 1518), st.integers(1, 1_000_000)), min_size=1, max_size=16))
def test_a_mean_lies_between_the_sizes(entries: list[tuple[int, int]]) -> None:
    made = traffic(sizes=entries)
    assert made.smallest_packet_bytes <= made.mean_packet_bytes <= max(size for size, _ in entries)
    assert abs(made.packet_bytes - made.mean_packet_bytes) <= 0.5
