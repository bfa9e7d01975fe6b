"""Which levels control laws go by: one version an NF type, all of a host model in one table."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from levels_world import HOST_MODEL, a_draft
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.levels import service
from sextant_backend.modules.levels.errors import LevelsNotInUse, LevelsNotPromotable
from sextant_backend.modules.levels.in_use import PromotedTable
from sextant_backend.settings import Settings
from sextant_domain.base import Provenance, digest_of
from sextant_domain.console.access import Role
from sextant_domain.hosts.measured_levels import LevelsState

ADA = Principal("ada", Role.OPERATOR)
Counting = Callable[[], AbstractContextManager[list[str]]]


def promote(levels_id: int) -> None:
    with session_scope() as session:
        service.promote(session, levels_id, ADA)


def in_use(host_model: str = HOST_MODEL) -> PromotedTable | None:
    with session_scope() as session:
        return service.promoted(session, [host_model, "another model"]).get(host_model)


@pytest.mark.usefixtures("clean")
def test_a_table_is_composed_of_the_promoted_levels_of_all_nf_types() -> None:
    firewall, router = a_draft(1), a_draft(2, "router", (7.0, 3, 20), provenance=Provenance.MEASURED)
    assert in_use() is None, "a draft is in no use"
    promote(firewall)
    promote(router)
    table = in_use()
    assert table is not None
    assert list(table.table.types) == ["firewall", "router"]
    assert [level.gbps for level in table.table.types["router"].local] == [7.0]
    assert table.digest == digest_of(table.table)
    assert (table.version, table.provenance) == (2, Provenance.SIMULATED), "the firewall's are"


@pytest.mark.usefixtures("clean")
def test_each_promotion_and_retirement_counts_the_table_up() -> None:
    first, second = a_draft(1), a_draft(2, "firewall", (4.0, 1, 10))
    promote(first)
    promote(second)
    with session_scope() as session:
        former, now = service.one(session, first), service.one(session, second)
    assert (former.version, former.state, former.table_version) == (1, LevelsState.RETIRED, 2)
    assert (now.version, now.state, now.table_version) == (2, LevelsState.PROMOTED, 3)
    table = in_use()
    assert table is not None and table.version == 3
    with session_scope() as session:
        retired = service.retire(session, second, ADA)
    assert (retired.state, retired.table_version, retired.decided_by) == (LevelsState.RETIRED, 4, "ada")
    assert in_use() is None
    promote(first)
    table = in_use()
    assert table is not None and table.version == 5, "what was retired may come back"


def test_an_unchanged_table_is_read_by_one_query_and_not_decoded_again(
    clean: Settings, count_queries: Counting
) -> None:
    assert clean is not None
    promote(a_draft(1))
    first = in_use()
    with session_scope() as session, count_queries() as asked:
        again = service.promoted(session, [HOST_MODEL])[HOST_MODEL]
    assert again is first
    assert len([one for one in asked if "FROM levels" in one]) == 1


@pytest.mark.usefixtures("clean")
def test_a_job_stores_its_levels_once() -> None:
    assert a_draft(7) == a_draft(7)
    assert a_draft(8) != a_draft(7)


@pytest.mark.usefixtures("clean")
def test_what_is_in_use_stale_or_empty_is_not_promoted() -> None:
    stale, good = a_draft(1, nf_version=1000), a_draft(2)
    promote(good)
    for levels_id, why in ((stale, "profiled at version 1000"), (good, "in use already")):
        with pytest.raises(LevelsNotPromotable, match=why):
            promote(levels_id)
    with session_scope() as session, pytest.raises(LevelsNotInUse, match="they are draft"):
        service.retire(session, stale, ADA)
