"""Seals of the audit log: trees written out, vectors of RFC 6962, and that any change of any row is found."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.console.audit import ActorKind, AuditEntry
from sextant_domain.console.audit_seal import (
    FIRST,
    AuditBatch,
    AuditBatchRows,
    AuditLeaf,
    digest_of_statement,
    leaf_hash,
    root_of,
    row_bytes,
    row_mismatches,
    seal_mismatches,
    statement,
)

AT = datetime(2026, 3, 1, 9, 0, 0, 123456, tzinfo=UTC)
INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""Of the first leaf, the first two, and so on: certificate-transparency, merkle_tree_test.cc."""


def test_a_tree_of_one_two_and_three_leaves() -> None:
    a, b, c = (sha256(b"\x00" + row).digest() for row in (b"one", b"two", b"three"))
    assert [leaf_hash(row) for row in (b"one", b"two", b"three")] == [a, b, c]
    assert root_of([a]) == a
    ab = sha256(b"\x01" + a + b).digest()
    assert root_of([a, b]) == ab
    assert root_of([a, b, c]) == sha256(b"\x01" + ab + c).digest(), "two to the left, the largest power below three"
    with pytest.raises(ValueError, match="at least one row"):
        root_of([])


@pytest.mark.parametrize("count", range(1, 9))
def test_trees_are_those_of_certificate_transparency(count: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(given)) for given in INPUTS[:count]]
    assert root_of(leaves).hex() == ROOTS[count - 1]


def test_a_row_cannot_be_passed_off_as_a_node() -> None:
    a, b = leaf_hash(b"one"), leaf_hash(b"two")
    assert leaf_hash(a + b) != root_of([a, b])


def an_entry(number: int, **changes: Any) -> AuditEntry:
    fields: dict[str, Any] = {
        "id": number,
        "at": AT,
        "actor": "ada",
        "actor_kind": ActorKind.TOKEN,
        "token": "laptop",
        "action": "chain.adjust",
        "subject": "chain/web",
        "object_kind": "chain",
        "object_id": "web",
        "object_name": None,
        "request_id": "r1",
        "reason": None,
        "detail": {"paused": "True"},
        "before": {"rate": 0.1, "nfs": []},
        "after": {"rate": 0.2, "nfs": ["é"]},
        "batch": None,
    }
    return AuditEntry.model_validate({**fields, **changes})


def test_a_row_is_hashed_as_written_here() -> None:
    assert row_bytes(an_entry(7)).decode() == (
        '{"action":"chain.adjust","actor":"ada","actor_kind":"token","after":{"nfs":["é"],"rate":0.2},'
        '"at":"2026-03-01T09:00:00.123456+00:00","before":{"nfs":[],"rate":0.1},"detail":{"paused":"True"},'
        '"format":"sextant-audit-row-1","id":7,"object_name":null,"request_id":"r1","subject":"chain/web",'
        '"token":"laptop"}'
    )


def test_a_row_that_went_over_the_wire_is_hashed_the_same() -> None:
    entry = an_entry(7, after={"rate": 1e-7, "big": 2**70, "text": "a\u2028b"}, batch=3)
    again = AuditEntry.model_validate_json(entry.model_dump_json())
    assert row_bytes(again) == row_bytes(entry) == row_bytes(entry.model_copy(update={"batch": None}))


def sealed(number: int, entries: list[AuditEntry], before: AuditBatch | None) -> AuditBatchRows:
    leaves = [leaf_hash(row_bytes(entry)) for entry in entries]
    said: dict[str, Any] = {
        "number": number,
        "rows": len(entries),
        "first_id": entries[0].id,
        "last_id": entries[-1].id,
        "root": root_of(leaves).hex(),
        "previous": FIRST if before is None else before.digest,
        "sealed_at": AT + timedelta(minutes=number),
    }
    batch = AuditBatch(
        **said,
        public_key="0" * 64,
        signature="0" * 128,
        digest=digest_of_statement(statement(**said)),
        removed_at=None,
    )
    hashes = tuple(AuditLeaf(entry_id=entry.id, hash=leaf.hex()) for entry, leaf in zip(entries, leaves, strict=True))
    return AuditBatchRows(batch=batch, leaves=hashes, entries=tuple(entries))


CHANGES: dict[str, Callable[[AuditEntry], dict[str, Any]]] = {
    "at": lambda entry: {"at": entry.at + timedelta(microseconds=1)},
    "actor": lambda _: {"actor": "eve"},
    "actor_kind": lambda _: {"actor_kind": ActorKind.USER},
    "token": lambda _: {"token": None},
    "action": lambda _: {"action": "chain.delete"},
    "subject": lambda _: {"subject": "chain/mail"},
    "object_name": lambda _: {"object_name": "web"},
    "request_id": lambda _: {"request_id": None},
    "detail": lambda _: {"detail": {}},
    "before": lambda _: {"before": {"rate": 0.1, "nfs": [None]}},
    "after": lambda _: {"after": None},
}


def test_every_stored_field_of_a_row_is_in_its_hash() -> None:
    derived = {"object_kind", "object_id", "reason", "batch", "id"}
    assert CHANGES.keys() | derived == AuditEntry.model_fields.keys()


@given(count=st.integers(1, 40), data=st.data())
def test_any_change_of_any_row_is_found_and_the_row_named(count: int, data: st.DataObject) -> None:
    whole = sealed(1, [an_entry(number) for number in range(1, count + 1)], None)
    assert list(row_mismatches(whole)) == []
    place = data.draw(st.integers(0, count - 1))
    field = data.draw(st.sampled_from(sorted(CHANGES)))
    entry = whole.entries[place]
    changed = entry.model_copy(update=CHANGES[field](entry))
    entries = (*whole.entries[:place], changed, *whole.entries[place + 1 :])
    found = list(row_mismatches(whole.model_copy(update={"entries": entries})))
    assert [(one.batch, one.entry_id) for one in found] == [(1, entry.id)]
    forged = AuditLeaf(entry_id=entry.id, hash=leaf_hash(row_bytes(changed)).hex())
    leaves = (*whole.leaves[:place], forged, *whole.leaves[place + 1 :])
    found = list(row_mismatches(whole.model_copy(update={"entries": entries, "leaves": leaves})))
    assert [one.text for one in found] == ["rows were changed together with their hashes: the root is another"]


@given(count=st.integers(2, 40), data=st.data())
def test_a_row_that_is_missing_or_was_added_is_found(count: int, data: st.DataObject) -> None:
    whole = sealed(1, [an_entry(number) for number in range(1, count + 1)], None)
    place = data.draw(st.integers(0, count - 1))
    fewer = (*whole.entries[:place], *whole.entries[place + 1 :])
    [missing] = row_mismatches(whole.model_copy(update={"entries": fewer}))
    assert (missing.entry_id, missing.text) == (place + 1, f"entry {place + 1} is missing")
    leaves = (*whole.leaves[:place], *whole.leaves[place + 1 :])
    [gone] = row_mismatches(whole.model_copy(update={"entries": fewer, "leaves": leaves}))
    assert gone.text == f"1 of {count} hashes of rows are missing"
    more = an_entry(count + 1)
    added = whole.model_copy(update={"entries": (*whole.entries, more)})
    assert [one.entry_id for one in row_mismatches(added)] == [count + 1]
    leaf = AuditLeaf(entry_id=more.id, hash=leaf_hash(row_bytes(more)).hex())
    [too_many] = row_mismatches(added.model_copy(update={"leaves": (*whole.leaves, leaf)}))
    assert too_many.text == f"1 rows were added to the {count} that were sealed"


@given(st.permutations(range(5)))
def test_the_order_of_rows_is_sealed(order: list[int]) -> None:
    whole = sealed(1, [an_entry(number) for number in range(5)], None)
    leaves = tuple(whole.leaves[place] for place in order)
    found = list(row_mismatches(whole.model_copy(update={"leaves": leaves})))
    assert bool(found) == (order != sorted(order))


def test_batches_are_a_chain() -> None:
    one = sealed(1, [an_entry(1)], None).batch
    two = sealed(2, [an_entry(2)], one).batch
    three = sealed(3, [an_entry(3)], two).batch
    assert [list(seal_mismatches(*pair, lambda _: True)) for pair in ((one, None), (two, one), (three, two))] == [
        []
    ] * 3
    [gap] = seal_mismatches(three, one, lambda _: True)
    assert (gap.batch, gap.text) == (2, "batch 2 is missing: batch 3 follows")
    other = sealed(2, [an_entry(2, actor="eve")], one).batch
    [broken] = seal_mismatches(three, other, lambda _: True)
    assert broken.text == "batch 3 does not name the batch before it by its digest"
    [unsigned] = seal_mismatches(two, one, lambda _: False)
    assert unsigned.text == "the signature of batch 2 is not of what the batch says"


def test_a_batch_says_its_own_digest_in_vain() -> None:
    """What the next names is computed of what the batch says, not read from it."""
    one = sealed(1, [an_entry(1)], None).batch
    forged = sealed(1, [an_entry(1, actor="eve")], None).batch.model_copy(update={"digest": one.digest})
    two = sealed(2, [an_entry(2)], one).batch
    assert [found.batch for found in seal_mismatches(two, forged, lambda _: True)] == [2]
