"""Traffic in words, one of each kind."""

from typing import Any

import pytest
from sextant_cli.show_traffic import words
from sextant_domain.chains.traffic import Traffic

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"packet_bytes": 64}, ("64 B", "constant", "1000, round-robin", "zero")),
        (
            {"sizes": "imix", "arrivals": "poisson", "flow_distribution": "uniform", "payload": "random"},
            ("IMIX, mean 362 B", "poisson", "1000, uniform", "random"),
        ),
        (
            {
                "sizes": [[64, 1], [128, 1]],
                "arrivals": {"kind": "on-off", "on_ms": 5, "off_ms": 15},
                "flow_distribution": {"kind": "zipf", "exponent": 1.1},
                "payload": {"kind": "matches", "percent": 2.5, "strings": ["evil", "worse"]},
            },
            (
                "2 sizes, mean 96 B",
                "on 5 ms, off 15 ms, peak 0.4000 Mpps",
                "1000, zipf 1.1",
                "2.5 % with one of 2 strings",
            ),
        ),
        (
            {"sizes": {"kind": "fixed", "bytes": 99}, "arrivals": {"kind": "trace", "steps": [[1, 1], [1, 3]]}},
            ("99 B", "trace of 2 steps, peak 0.1500 Mpps", "1000, round-robin", "zero"),
        ),
        (
            {"packet_bytes": 700, "pcap": {"file": DIGEST, "timing": "file"}},
            ("capture sha256:0a0a0a0a0a0a...", "the capture's gaps", "of the capture", "of the capture"),
        ),
        (
            {"packet_bytes": 700, "pcap": DIGEST, "arrivals": "constant"},
            ("capture sha256:0a0a0a0a0a0a...", "constant", "of the capture", "of the capture"),
        ),
    ],
)
def test_each_kind_has_its_words(fields: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert words(Traffic.model_validate({"rate_mpps": 0.1, **fields})) == expected
