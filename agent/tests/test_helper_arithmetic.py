"""Weights and quotas in the kernel's units, and where a machine's cgroups are found."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.helper.arithmetic import quota_percent, quota_us, shares_of, weight_of
from sextant_agent.helper.hierarchy import find_hierarchy
from sextant_agent.helper.refusal import Unusable


@pytest.mark.parametrize(("weight", "shares"), [(1, 10), (50, 512), (100, 1024), (200, 2048), (10_000, 102_400)])
def test_a_weight_in_shares(weight: int, shares: int) -> None:
    assert shares_of(weight) == shares


@given(st.integers(1, 10_000))
def test_every_weight_comes_back(weight: int) -> None:
    assert weight_of(shares_of(weight)) == weight


@given(st.integers(-(2**70), 2**70))
def test_any_shares_are_within_bounds(number: int) -> None:
    assert 2 <= shares_of(number) <= 2**18
    assert 1 <= weight_of(number) <= 10_000


@pytest.mark.parametrize(
    ("percent", "quota", "period"),
    [(100, 10_000, 10_000), (33.33, 3333, 10_000), (10, 1000, 10_000), (5, 1000, 20_000), (1, 1000, 100_000)],
)
def test_a_quota_in_microseconds(percent: float, quota: int, period: int) -> None:
    """10 ms while the kernel's least quota of 1 ms allows it; below 10 % the period grows."""
    assert quota_us(percent) == (quota, period)


@given(st.floats(1, 100))
def test_every_quota_comes_back_and_is_within_the_kernels_bounds(percent: float) -> None:
    quota, period = quota_us(percent)
    assert 1000 <= quota <= period <= 1_000_000
    found = quota_percent(quota, period)
    assert found is not None
    assert abs(found - percent) < 0.01


@given(st.integers(100, 10_000))
def test_a_quota_of_whole_hundredths_comes_back_as_it_was(hundredths: int) -> None:
    """9 % is 1000 us of 100,000 / 9 = 11,111 us: 9.00009 % to the kernel, and 9 to whoever asked for it."""
    assert quota_percent(*quota_us(hundredths / 100)) == hundredths / 100


def test_no_quota() -> None:
    assert quota_percent(-1, 100_000) is None


def mounts(*lines: str) -> str:
    return "".join(f"31 23 0:28 / {line}\n" for line in lines)


def test_v1_with_the_controllers_apart() -> None:
    found = find_hierarchy(
        mounts("/c/cpu rw - cgroup cgroup rw,cpu", "/c/acct rw - cgroup cgroup rw,cpuacct", "/c/u rw - cgroup2 x rw")
    )
    assert (found.version, found.cpu, found.cpuacct) == (1, Path("/c/cpu"), Path("/c/acct"))


def test_v1_with_the_controllers_as_one() -> None:
    found = find_hierarchy(mounts("/c/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct"))
    assert (found.version, found.cpu, found.cpuacct) == (1, Path("/c/cpu,cpuacct"), Path("/c/cpu,cpuacct"))


def test_v2_where_it_holds_the_controller(tmp_path: Path) -> None:
    place = tmp_path / "with space"
    place.mkdir()
    (place / "cgroup.controllers").write_text("cpuset cpu memory\n")
    line = f"{place} rw - cgroup2 cgroup2 rw".replace("with space", "with\\040space")
    found = find_hierarchy(mounts("/x rw - cgroup cgroup rw,cpuset", line))
    assert (found.version, found.cpu) == (2, place)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no cgroup file system"),
        ("nonsense\n1 2 3\n - cgroup\n", "no cgroup file system"),
        (mounts("/nowhere rw - cgroup2 cgroup2 rw"), "does not offer the cpu controller"),
    ],
)
def test_a_machine_without_is_reported_with_the_next_step(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=rf"{why}.*: (mount|give)"):
        find_hierarchy(text)
