"""Telemetry: stored once, in today's partition, newest first in the latest tables, old days dropped."""

import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from console_world import a_batch
from fastapi.testclient import TestClient
from sextant_backend import housekeeping
from sextant_backend.kit import partitions
from sextant_backend.kit.db import session_factory, session_scope
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import partitions as raw_partitions
from sextant_backend.modules.telemetry import repository, service, structs
from sextant_backend.modules.telemetry.text_lists import TextList
from sextant_backend.modules.telemetry.texts import BatchText
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import NfSample, TelemetryBatch
from sqlalchemy import text
from sqlalchemy.orm import Session


def _count(session: Session, table: str = "chain_samples") -> int:
    return int(session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def _newest_nf(session: Session) -> NfSample:
    return repository.latest_nfs(session, ["edge-1"])["web.router", "edge-1"]


def _children(session: Session) -> set[str]:
    return partitions.children(session, "chain_samples")


def test_batch_is_stored_and_becomes_the_newest(session: Session, edge: HostInventory) -> None:
    assert service.ingest(session, a_batch()) is True
    assert [_count(session, table) for table in ("chain_samples", "nf_samples", "core_samples")] == [1, 1, 1]
    host = hosts.one(session, "edge-1")
    assert (host.throughput_mpps, host.applied_generation) == (0.4, 1)
    assert [(core.core, core.busy_percent, core.other_percent) for core in host.cores] == [(1, 41.5, 1.5)]
    latest = repository.latest_chains(session, ["web-edge"])["web-edge"]
    assert (latest.sample.delivered_mpps, latest.sample.p95_us) == (0.4, 120.0)
    nf = repository.latest_nfs(session, ["edge-1"])["web-edge.router", "edge-1"]
    assert (nf.core, nf.cpu_percent) == (1, 40.0)


def test_cores_of_a_second_are_one_row(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch(1, cores=[{"core": 4, "busy_percent": 12.5}, {"core": 2, "busy_percent": 75.0}]))
    service.ingest(session, a_batch(2, cores=[]))
    rows = session.execute(text("SELECT cores, busy_percent FROM core_samples")).all()
    assert [tuple(row) for row in rows] == [([4, 2], [12.5, 75.0])], "none of a second without samples of cores"


def test_what_is_published_and_stored_of_a_batch_is_the_batch() -> None:
    """Its parts are turned into text one by one, and put together again."""
    nodes = [{"node": 0, "memory_bytes_per_s": 41.5e9}]
    for batch in (a_batch(1), a_batch(2, nodes=nodes), a_batch(3, nfs=[], chains=[], cores=[])):
        whole = BatchText.of(structs.of(batch)).whole
        assert TelemetryBatch.model_validate_json(whole) == batch
        assert (b"nodes" in whole) == bool(batch.nodes), "as in the JSON of a batch"


@pytest.mark.parametrize("texts", [[], [""], ["a", 'quoted "{,}" \\', "é漢😀", "x" * 100_000]])
def test_a_list_of_texts_arrives_as_it_is(session: Session, texts: list[str]) -> None:
    asked = {"texts": TextList.of(texts)}
    assert session.connection().exec_driver_sql("SELECT %(texts)b::text[]", asked).scalar_one() == texts


_TRANSFER = {"at": "2026-01-01T12:00:00Z", "from_chain": "nat", "to_chain": "web", "ways": 2, "reason": "web needs 6"}


def _control(chain: str, ways: int) -> dict[str, Any]:
    law = {"law": "numasfp", "law_version": 1, "table": f"sha256:{'a' * 64}"}
    return law | {"chain": chain, "llc_ways": ways, "memory_bandwidth_percent": 40, "state": "in_full"}


def test_what_laws_gave_is_kept_of_the_newest_batch_and_written_only_where_it_changed(
    session: Session, edge: HostInventory
) -> None:
    service.ingest(session, a_batch(1, controls=[_control("web", 6), _control("nat", 2)], transfers=[_TRANSFER]))
    found = repository.controls(session, ["edge-1", "edge-2"])
    assert set(found) == {"edge-1"}, "nobody else says anything"
    assert [one.chain for one in hosts.one(session, "edge-1").controls] == ["web", "nat"], "on the host's page, too"
    assert {chain: one.llc_ways for chain, one in found["edge-1"].controls.items()} == {"web": 6, "nat": 2}
    assert [(one.from_chain, one.to_chain, one.ways) for one in found["edge-1"].transfers] == [("nat", "web", 2)]
    service.ingest(session, a_batch(2, controls=[_control("web", 6), _control("nat", 2)], transfers=[_TRANSFER]))
    assert repository.controls(session, ["edge-1"])["edge-1"].at == found["edge-1"].at, "the same was said again"
    service.ingest(session, a_batch(3, controls=[_control("web", 5)]))
    newest = repository.controls(session, ["edge-1"])["edge-1"]
    assert ({chain: one.llc_ways for chain, one in newest.controls.items()}, newest.transfers) == ({"web": 5}, ())
    service.ingest(session, a_batch(4))
    assert repository.controls(session, ["edge-1"]) == {}, "its chains have no bounds any more"


def test_cores_that_an_agent_divides_are_kept_as_it_last_said(session: Session, edge: HostInventory) -> None:
    """Beside controls of chains, or alone; once the host says nothing of them, nothing is left."""
    core = {"core": 1, "nfs": [{"nf_id": "web.a", "percent": 75.0}], "held": None, "changed": None}
    service.ingest(session, a_batch(1, shared_cores=[core]))
    assert [one.model_dump(mode="json") for one in repository.shared_cores(session, "edge-1")] == [core]
    service.ingest(session, a_batch(2, controls=[_control("web", 6)], shared_cores=[{**core, "held": "no helper"}]))
    assert [one.held for one in repository.shared_cores(session, "edge-1")] == ["no helper"]
    service.ingest(session, a_batch(3, controls=[_control("web", 6)]))
    assert repository.shared_cores(session, "edge-1") == ()


def test_quotas_that_an_agent_set_are_kept_as_it_last_said(session: Session, edge: HostInventory) -> None:
    """Changes stay while the host says anything of quotas."""
    nf = {"nf_id": "web.a", "chain": "web", "quota_percent": 30.0, "p95_us": 700.0, "max_p95_us": 1000, "state": "well"}
    change = {
        "at": "2026-03-01T00:00:00Z", "nf_id": "web.a", "reason": "raised", "before_percent": 20, "after_percent": 30,
        "cause": "p95 5 ms > 1 ms in 2 windows running", "took_us": 1700,
    }  # fmt: skip
    service.ingest(session, a_batch(1, bounded_nfs=[nf], quota_changes=[change]))
    found = repository.bounded_quotas(session, ["edge-1"])
    assert [(one.nf_id, one.quota_percent, one.state) for one in found.nfs] == [("web.a", 30, "well")]
    assert [(one.nf_id, one.after_percent) for one in found.changes] == [("web.a", 30)]
    held = {**nf, "quota_percent": None, "state": "held", "note": "no helper"}
    service.ingest(session, a_batch(2, bounded_nfs=[held]))
    found = repository.bounded_quotas(session, ["edge-1"])
    assert [one.note for one in found.nfs] == ["no helper"] and found.changes == ()
    service.ingest(session, a_batch(3))
    assert repository.bounded_quotas(session, ["edge-1"]) == repository.BoundedQuotas()


def test_two_controls_of_a_chain_are_refused(session: Session, edge: HostInventory) -> None:
    with pytest.raises(ValidationFailed) as refused:
        service.ingest(session, a_batch(1, controls=[_control("web", 6), _control("web", 2)]))
    assert refused.value.errors[0].field == "controls"


def test_repeat_is_harmless(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch(1))
    service.ingest(session, a_batch(2))
    assert service.ingest(session, a_batch(1)) is False
    assert service.ingest(session, a_batch(2)) is False
    assert _count(session) == 2


def test_new_epoch_counts_from_the_start_and_the_old_one_stays_known(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch(7, epoch="first"))
    assert service.ingest(session, a_batch(0, epoch="second")) is True
    assert service.ingest(session, a_batch(7, epoch="first")) is False
    assert service.ingest(session, a_batch(0, epoch="second")) is False
    assert _count(session) == 2


def test_rival_deliveries_of_one_batch_store_it_once(session: Session, edge: HostInventory) -> None:
    batch, stored = a_batch(), []

    def deliver() -> None:
        with session_scope() as mine:
            stored.append(service.ingest(mine, batch))

    threads = [threading.Thread(target=deliver) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stored) == [False] * 5 + [True]
    assert _count(session) == 1


def test_rolled_back_batch_leaves_nothing(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch())
    session.rollback()
    assert _count(session) == 0
    assert service.ingest(session, a_batch()) is True


def test_what_a_batch_no_longer_names_is_forgotten(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch(1))
    service.ingest(session, a_batch(2, nfs=[], chains=[], cores=[]))
    assert repository.latest_nfs(session, ["edge-1"]) == {}
    assert repository.latest_chains(session) == {}
    assert hosts.one(session, "edge-1").throughput_mpps == 0.0


@pytest.mark.parametrize("known", [True, False])
def test_of_two_chains_the_one_that_left_is_forgotten(session: Session, edge: HostInventory, known: bool) -> None:
    """Also by the first batch after an upgrade, before which no row said which chains there are."""
    chain = {"offered_mpps": 1, "delivered_mpps": 1, "drop_mpps": 0}
    for sequence, names in enumerate((("web", "mail"), ("mail", "web"), ("mail",)), start=1):
        if not known:
            session.execute(text("UPDATE latest_hosts SET chains = NULL"))
        service.ingest(session, a_batch(sequence, chains=[{**chain, "chain": name} for name in names]))
        assert set(repository.latest_chains(session)) == set(names)


def test_memory_and_links_of_nodes_are_the_newest_of_a_host(session: Session, edge: HostInventory) -> None:
    node_sample = {"node": 0, "memory_bytes_per_s": 41.5e9, "memory_load_percent": 63.0, "link_load_percent": 12.5}
    service.ingest(session, a_batch(1, nodes=[node_sample]))
    (node,) = hosts.one(session, "edge-1").nodes
    assert node.model_dump() == node_sample
    service.ingest(session, a_batch(2))  # by a host whose counters do not reach them
    assert hosts.one(session, "edge-1").nodes == ()


def test_a_node_twice_is_refused(session: Session, edge: HostInventory) -> None:
    node = {"node": 0, "memory_bytes_per_s": 1.0}
    with pytest.raises(ValidationFailed) as refused:
        service.ingest(session, a_batch(nodes=[node, node]))
    assert refused.value.errors[0].field == "nodes"


def test_naming_something_twice_is_refused(session: Session, edge: HostInventory) -> None:
    core = {"core": 1, "busy_percent": 1.0}
    with pytest.raises(ValidationFailed) as refused:
        service.ingest(session, a_batch(cores=[core, core]))
    assert refused.value.errors[0].field == "cores"


@pytest.mark.parametrize("figure", [1e300, 3.5e38, 1e-300])
def test_absurd_figures_do_no_harm(session: Session, edge: HostInventory, figure: float) -> None:
    chain = {"chain": "web-edge", "offered_mpps": figure, "delivered_mpps": figure, "drop_mpps": 0.0, "p99_us": figure}
    assert service.ingest(session, a_batch(chains=[chain])) is True


def test_gbps_and_the_highest_percentile_are_stored_where_they_are_reported(
    session: Session, edge: HostInventory
) -> None:
    chain_sample = {"chain": "web", "offered_mpps": 1.0, "delivered_mpps": 1.0, "drop_mpps": 0.0}
    assert service.ingest(session, a_batch(1, chains=[chain_sample | {"p999_us": 812.5, "delivered_gbps": 2.5}]))
    assert service.ingest(session, a_batch(2, chains=[chain_sample]))  # by an older agent
    rows = session.execute(text("SELECT p999_us, delivered_gbps FROM chain_samples ORDER BY ts, p999_us")).all()
    assert sorted(rows, key=lambda row: row.p999_us is None) == [(812.5, 2.5), (None, None)]
    assert repository.latest_chains(session)["web"].sample.delivered_gbps is None


def test_how_full_an_nf_is_is_stored_where_it_is_reported(session: Session, edge: HostInventory) -> None:
    """An older agent reports nothing: that is not 0."""
    nf = {"nf_id": "web.router", "chain": "web", "core": 1, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0}
    full_sample = nf | {"cpu_percent": 100.0, "utilisation_percent": 37.5, "utilisation_basis": "busy-time"}
    assert service.ingest(session, a_batch(1, nfs=[nf | {"cpu_percent": 100.0}]))
    assert "utilisation_percent" not in _newest_nf(session).model_dump(mode="json")
    assert service.ingest(session, a_batch(2, nfs=[full_sample | {"headroom_mpps": 1.25}]))
    rows = session.execute(text("SELECT utilisation_percent, headroom_mpps FROM nf_samples")).all()
    assert sorted(rows, key=lambda row: row[0] is not None) == [(None, None), (37.5, 1.25)]
    newest = _newest_nf(session)
    assert (newest.utilisation_percent, newest.utilisation_basis, newest.headroom_mpps) == (37.5, "busy-time", 1.25)


def test_cpu_time_of_an_nf_that_is_not_measured_is_stored_as_none(session: Session, edge: HostInventory) -> None:
    """As of one in the kernel. An older agent reports its 0."""
    nf = {"nf_id": "web.router", "chain": "web", "core": 1, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0}
    assert service.ingest(session, a_batch(1, nfs=[nf | {"cpu_percent": 0.0}]))
    assert _newest_nf(session).cpu_percent == 0
    assert service.ingest(session, a_batch(2, nfs=[nf]))
    rows = session.scalars(text("SELECT cpu_percent FROM nf_samples")).all()
    assert sorted(rows, key=lambda cpu: cpu is not None) == [None, 0]
    assert _newest_nf(session).cpu_percent is None


def test_what_an_nf_is_at_least_full_is_stored_beside_no_figure(session: Session, edge: HostInventory) -> None:
    nf = {"nf_id": "web.router", "chain": "web", "core": 1, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0}
    assert service.ingest(session, a_batch(1, nfs=[nf | {"cpu_percent": 100.0, "utilisation_low_percent": 35.5}]))
    rows = session.execute(text("SELECT utilisation_percent, utilisation_low_percent FROM nf_samples")).all()
    assert rows == [(None, 35.5)]
    newest = _newest_nf(session)
    assert (newest.utilisation_percent, newest.utilisation_low_percent) == (None, 35.5)


@pytest.mark.parametrize("wrong", [timedelta(days=-400), timedelta(hours=-1), timedelta(hours=1), timedelta(days=9999)])
def test_wrong_clock_of_an_agent_is_replaced_by_ours(session: Session, edge: HostInventory, wrong: timedelta) -> None:
    now = datetime.now(UTC)
    assert service.ingest(session, a_batch(taken_at=now + wrong)) is True
    stored = session.execute(text("SELECT ts FROM chain_samples")).scalar_one()
    assert abs(stored - now) < timedelta(seconds=10)


def test_time_without_a_zone_is_utc(session: Session, edge: HostInventory) -> None:
    now = datetime.now(UTC)
    service.ingest(session, a_batch(taken_at=now.replace(tzinfo=None)))
    assert session.execute(text("SELECT ts FROM chain_samples")).scalar_one() == now


def test_history_is_the_last_seconds_oldest_first(session: Session, edge: HostInventory, client: TestClient) -> None:
    now = datetime.now(UTC)
    for sequence, age in enumerate((100, 60, 1)):
        service.ingest(session, a_batch(sequence, taken_at=now - timedelta(seconds=age)))
    session.commit()
    samples = client.get("/api/v1/telemetry/chains/web-edge?seconds=90").json()["samples"]
    assert [round(now.timestamp() - sample[0]) for sample in samples] == [60, 1]
    assert samples[0][1:] == [pytest.approx(0.5), pytest.approx(0.4), pytest.approx(0.1), None, 120.0, None, 480.0]
    assert client.get("/api/v1/telemetry/chains/nothing").json() == {"samples": []}


def test_partitions_are_made_ahead_and_dropped_by_age(session: Session) -> None:
    today = date(2026, 3, 10)
    try:
        raw_partitions.make(session, {date(2026, 3, 7), date(2026, 3, 8), date(2026, 3, 9)})
        assert raw_partitions.keep(session, today, retention_days=1) >= 2 * 3  # the 7th and 8th, of three tables
        names = _children(session)
        assert {f"chain_samples_202603{day}" for day in ("09", "10", "11", "12")} <= names
        assert not {f"chain_samples_202603{day}" for day in ("07", "08")} & names
        assert raw_partitions.keep(session, today, retention_days=1) == 0
    finally:
        session.rollback()


def test_housekeeping_readies_the_next_days(session: Session) -> None:
    housekeeping.housekeep(session)
    today = datetime.now(UTC).date()
    wanted = {f"chain_samples_{today + timedelta(days=ahead):%Y%m%d}" for ahead in (0, 1, 2)}
    assert wanted <= _children(session)
    session.rollback()


def test_history_of_one_host_uses_the_index(session: Session, edge: HostInventory) -> None:
    """btree (host_id, ts) and BRIN (ts) are on every partition."""
    service.ingest(session, a_batch())
    name = f"chain_samples_{datetime.now(UTC):%Y%m%d}"
    rows = session.scalars(text("SELECT indexdef FROM pg_indexes WHERE tablename = :name"), {"name": name}).all()
    assert any("btree (host_id, ts)" in row for row in rows) and any("brin (ts)" in row for row in rows)


def _full_batch() -> dict[str, Any]:
    nf = a_batch().nfs[0].model_dump(mode="json")
    return {
        "nfs": [{**nf, "nf_id": f"web-edge.nf-{number}"} for number in range(4096)],
        "cores": [{"core": number, "busy_percent": 1.0} for number in range(4096)],
    }


def test_batch_of_the_greatest_size(session: Session, edge: HostInventory) -> None:
    service.ingest(session, a_batch(**_full_batch()))
    with session_factory()() as other:
        assert _count(other, "nf_samples") == 0
    session.commit()
    assert _count(session, "nf_samples") == 4096
