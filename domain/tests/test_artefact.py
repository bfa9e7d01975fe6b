"""Artefacts: which setting takes which kind of file, and which files an order names."""

import pytest
from pydantic import ValidationError
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.nf import ArtefactKind
from sextant_domain.chains.traffic import Traffic
from sextant_domain.chains.traffic_kinds import Replay
from sextant_domain.hosts.artefact import MAX_BYTES, FileKind, digests_of, is_digest, kind_of_setting
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent

A, B, C, D = (f"sha256:{digit * 64}" for digit in "abcd")


def test_a_setting_is_called_after_the_kind_of_its_file() -> None:
    assert {
        setting: kind_of_setting(setting) for setting in ("routes_file", "rules_file", "patterns_file", "pcap")
    } == {
        "routes_file": FileKind.ROUTES,
        "rules_file": FileKind.RULES,
        "patterns_file": FileKind.PATTERNS,
        "pcap": FileKind.PCAP,
    }
    for other in ("routes", "seed", "_file", "log_file", "file"):
        assert kind_of_setting(other) is None
    assert set(MAX_BYTES) == set(FileKind)


def test_an_artefact_of_an_nf_type_is_named_like_a_setting() -> None:
    assert ArtefactKind(name="routes_file", description="one route a line", max_bytes=1).name == "routes_file"
    with pytest.raises(ValidationError, match="name"):
        ArtefactKind(name="routes-file", description="", max_bytes=1)


def test_an_order_names_the_digests_in_its_configurations_at_any_depth() -> None:
    def nf(name: str, config: dict[str, object]) -> DesiredNf:
        return DesiredNf(nf_id=f"web.{name}", nf_type=name, nf_version=1, config=config, core=1)

    content = HostContent(
        host_id="edge-1",
        chains=(
            DesiredChain(
                chain="web",
                nfs=(
                    nf("router", {"routes_file": A, "seed": 1, "name": "sha256:short"}),
                    nf("nids", {"patterns_file": None, "more": [{"file": B}, A], C: "as a key it names nothing"}),
                ),
                ingress=Ingress(),
                egress=Egress(),
                traffic=Traffic(rate_mpps=0.1, packet_bytes=64, pcap=Replay(file=D)),
            ),
        ),
    )
    assert digests_of(content) == {A, B, D}


def test_a_digest_is_written_in_one_way() -> None:
    assert is_digest(A)
    for other in (A.upper(), A[:-1], f"{A} ", A.removeprefix("sha256:"), f"{A}\n", None, 7):
        assert not is_digest(other)
