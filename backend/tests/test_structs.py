"""What comes by the thousand is read into structs: they take nothing that the models refuse, and say the same JSON."""

import json
from typing import Annotated, Any

import msgspec
import pytest
from annotated_types import MultipleOf
from console_world import a_batch
from fastapi.exceptions import RequestValidationError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, StringConstraints, ValidationError, field_validator
from sextant_backend.fleet.reports import batch_in, batches_in
from sextant_backend.kit.errors import MalformedBody
from sextant_backend.kit.structs import reader_of, struct_of
from sextant_domain.base import Frozen
from sextant_domain.hosts.telemetry import TelemetryBatch, as_sent

_DECODED = reader_of(TelemetryBatch)
NF = {"nf_id": "web.nat", "chain": "web", "core": 3, "rx_mpps": 0.5, "tx_mpps": 0.5, "drop_mpps": 0, "cpu_percent": 9.5}
FULL_NF = {
    **NF,
    "state": "crashed",
    "utilisation_percent": 20.5,
    "utilisation_basis": "cpu-time",
    "throttled_percent": 1.5,
    "llc_occupancy_bytes": [1, 2],
    "llc_way_mask": 3,
}
CHAIN = {"chain": "web", "offered_mpps": 1, "delivered_mpps": 1e-9, "drop_mpps": 0, "paused": True}
PATH = [{"device": "edge", "queue": 1, "latency_us": 3.5}]
CONTROL = {"chain": "web", "law": "numasfp", "law_version": 1, "table": f"sha256:{'0' * 64}", "state": "held"}
CHANGE = {
    "at": "2026-03-01T00:00:00Z",
    "cause": "web.nat is offered 1.2 Mpps",
    "nfs": [{"nf_id": "web.nat", "before_percent": 40, "after_percent": 60}],
}
QUOTA_CHANGE = {
    "at": "2026-03-01T00:00:00Z",
    "nf_id": "web.nat",
    "reason": "raised",
    "before_percent": 20,
    "after_percent": 30,
    "cause": "p95 5 ms > 1 ms in 2 windows running",
    "took_us": 1700,
}
WAYS = [
    {"to": "web.dpi", "links": ["eth1", "eth2"], "link": "eth2", "state": "other", "since": "2026-03-01T00:00:00Z"},
    {"to": None, "links": [], "link": None, "state": "unknown", "why": "the daemon does not answer"},
]
TRANSITS = [{"to": "web.dpi", "p50_us": 12.5, "p95_us": 90}, {"to": None, "p50_us": None, "p95_us": None}]
WAY_CHANGE = {
    "at": "2026-03-01T00:00:00Z",
    "chain": "web",
    "to": "web.dpi",
    "kind": "cut",
    "before": None,
    "after": "eth2",
    "cause": "eth1 has no carrier",
    "took_us": 900,
}
BOUNDED = {
    "nf_id": "web.nat",
    "chain": "web",
    "quota_percent": None,
    "p95_us": None,
    "max_p95_us": 1e3,
    "state": "well",
}
WHOLE = {
    **a_batch(7).model_dump(mode="json"),
    "nfs": [NF, {**FULL_NF, "nf_id": "web.dpi"}],
    "chains": [CHAIN, {**CHAIN, "chain": "b", "paused": False, "path": PATH, "ways": WAYS, "transits": TRANSITS}],
    "nodes": [{"node": 0, "memory_bytes_per_s": 4e10}],
    "controls": [CONTROL],
    "transfers": [{"at": "2026-03-01T00:00:00.25Z", "to_chain": "web", "ways": 2, "reason": "it has 4 of 6 ways"}],
    "shared_cores": [
        {"core": 3, "nfs": [{"nf_id": "web.nat", "percent": 60}]},
        {"core": 4, "law": "rate-cost", "nfs": [], "changed": CHANGE},
        {"core": 5, "law": None, "nfs": []},
    ],
    "bounded_nfs": [
        BOUNDED,
        {**BOUNDED, "nf_id": "web.dpi", "quota_percent": 40.5, "state": "held", "note": "no helper"},
        {**BOUNDED, "nf_id": "web.vpn", "llc_ways": 3, "memory_bandwidth_percent": 60, "not_given": "no resctrl"},
    ],
    "quota_changes": [QUOTA_CHANGE, {**QUOTA_CHANGE, "resource": "llc-ways", "before_ways": 0, "after_ways": 2}],
    "way_changes": [WAY_CHANGE],
}
ODD: list[Any] = [
    *(None, True, False, 0, -1, 0.5, -0.5, 100.5, 1e300, 2**31, 2**32, 2**63, 2**70, 10**400, [], {}, [[]], [{}]),
    *("", "a", "1.5", "running", "web\n", "web.nat\n", "a" * 64, "a b", "\0", "é", "2026-03-01", [1] * 70),
    "2026-03-01T00:00:00Z",
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in _places(one, (*path, key)))]


def _with(value: Any, path: tuple[Any, ...], change: Any) -> Any:
    if not path:
        return change(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with(copy[path[0]], path[1:], change)
    return copy


PLACES = _places(WHOLE)
CHANGES = [lambda _, odd=odd: odd for odd in ODD] + [
    lambda value: {**value, "more": 1} if isinstance(value, dict) else [value],
    lambda value: {name: value[name] for name in list(value)[1:]} if isinstance(value, dict) else value,
    lambda value: value * 4097 if isinstance(value, list) else value,
]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(CHANGES)), min_size=1, max_size=2))
def test_what_a_struct_takes_its_model_takes_as_the_same(mutations: list[tuple[tuple[Any, ...], Any]]) -> None:
    body: Any = WHOLE
    for path, change in mutations:
        try:
            body = _with(body, path, change)
        except (KeyError, IndexError, TypeError):  # the first change has taken the place of the second
            continue
    sent = json.dumps(body).encode()
    try:
        struct = _DECODED(sent)
    except msgspec.MsgspecError:
        return
    model = TelemetryBatch.model_validate_json(sent)
    assert json.loads(msgspec.json.encode(struct)) == json.loads(model.model_dump_json())


def test_what_agents_send_is_taken_by_the_struct() -> None:
    batch = TelemetryBatch.model_validate(WHOLE)
    for sent in (as_sent(batch), batch.model_dump_json()):
        assert json.loads(msgspec.json.encode(_DECODED(sent.encode()))) == json.loads(batch.model_dump_json())


@pytest.mark.parametrize("field", ["host_id", "epoch"])
def test_a_name_ends_where_its_text_ends(field: str) -> None:
    """In Python's patterns `$` stands before a last line break, too."""
    with pytest.raises(msgspec.ValidationError, match="pattern"):
        _DECODED(json.dumps({**WHOLE, field: "edge\n"}).encode())


@pytest.mark.parametrize("texts", [1, 2**16 + 10])
def test_a_text_is_matched_whatever_was_read_before(texts: int) -> None:
    """More of them than are kept: 65,536."""

    class Named(Frozen):
        names: tuple[Annotated[str, StringConstraints(pattern="^[a-z0-9]+$")], ...]

    read = reader_of(Named)
    names = [f"n{number}" for number in range(texts)]
    assert read(json.dumps({"names": names}).encode()).names == tuple(names)
    assert read(b'{"names":["n0","more"]}').names == ("n0", "more")
    for _ in range(2):  # what was refused is not known from then on
        with pytest.raises(msgspec.ValidationError, match="names is not as its pattern says"):
            read(b'{"names":["n0","A"]}')


def test_what_the_model_alone_understands_is_taken_as_well() -> None:
    odd = json.dumps({**WHOLE, "interval_s": "1.5", "sequence": 8.0, "taken_at": 1_700_000_000}).encode()
    with pytest.raises(msgspec.ValidationError):
        _DECODED(odd)
    batch = batch_in(odd)
    assert (batch.interval_s, batch.sequence, batch.taken_at.timestamp()) == (1.5, 8, 1_700_000_000)
    assert [one.sequence for one in batches_in(b'{"batches":[%b]}' % odd)] == [8]


def test_a_refusal_names_the_field_as_any_other() -> None:
    with pytest.raises(RequestValidationError) as refused:
        batches_in(json.dumps({"batches": [WHOLE, {**WHOLE, "nfs": [{**NF, "rx_mpps": -1}]}]}).encode())
    (error,) = refused.value.errors()
    assert error["loc"] == ("body", "batches", 1, "nfs", 0, "rx_mpps")
    assert error["msg"] == "Input should be greater than or equal to 0"


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"host_id":"\xff"}', b'{"host_id":"edge",}', b"\0"])
def test_what_is_no_json_is_refused_as_such(body: bytes) -> None:
    with pytest.raises(MalformedBody, match="The body is not JSON"):
        batch_in(body)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "-1e999"])
def test_what_is_no_number_is_refused(number: str) -> None:
    body = json.dumps({**WHOLE, "interval_s": "?"}).replace('"?"', number).encode()
    with pytest.raises(RequestValidationError):
        batch_in(body)


@pytest.mark.parametrize(
    "kind",
    [
        Annotated[int, MultipleOf(2)],
        Annotated[str, StringConstraints(to_lower=True)],
        Annotated[str, StringConstraints(pattern="a|b")],
        dict[str, int],
        Any,
    ],
)
def test_no_bound_is_dropped_silently(kind: Any) -> None:
    model = type("Model", (Frozen,), {"__annotations__": {"field": kind}})
    with pytest.raises(TypeError):
        struct_of(model)


def test_nor_is_a_rule_of_the_model() -> None:
    class Even(Frozen):
        number: int = Field(ge=0)

        @field_validator("number")
        @classmethod
        def _even(cls, number: int) -> int:
            if number % 2:
                raise ValueError("odd")
            return number

    with pytest.raises(ValidationError):
        Even(number=1)
    with pytest.raises(TypeError, match="has validators"):
        struct_of(Even)
