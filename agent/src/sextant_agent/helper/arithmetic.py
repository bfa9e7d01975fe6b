"""Weights and quotas in the kernel's units: pure.

cgroup v2 takes weights of 1 to 10000 with 100 as the default (Documentation/admin-guide/cgroup-v2.rst, cpu.weight).
v1 takes shares of which 1024 is the default (Documentation/scheduler/sched-design-CFS.rst), at least 2 and at most
2^18; 1024/100 is the factor by which the kernel turns one into the other itself.
"""

LEAST_WEIGHT = 1
MOST_WEIGHT = 10_000
DEFAULT_WEIGHT = 100

DEFAULT_SHARES = 1024
LEAST_SHARES = 2
MOST_SHARES = 1 << 18

LEAST_QUOTA_PERCENT = 1.0
MOST_QUOTA_PERCENT = 100.0

PERIOD_US = 10_000
"""A process that has used its quota stands still until the period ends, and every packet in its ring waits with it.
The kernel's default of 100 ms would add up to 100 ms to a packet's latency; 10 ms bounds that, and still leaves
quotas from 10 % on above the least one."""
LEAST_QUOTA_US = 1_000
"""The kernel takes no shorter quota, and no shorter period (Documentation/scheduler/sched-bwc.rst)."""


def shares_of(weight: int) -> int:
    """v1 shares of a v2 weight."""
    return min(MOST_SHARES, max(LEAST_SHARES, round(weight * DEFAULT_SHARES / DEFAULT_WEIGHT)))


def weight_of(shares: int) -> int:
    """The v2 weight of v1 shares; the inverse of `shares_of` for every weight."""
    return min(MOST_WEIGHT, max(LEAST_WEIGHT, round(shares * DEFAULT_WEIGHT / DEFAULT_SHARES)))


def quota_us(percent: float) -> tuple[int, int]:
    """(quota, period) in microseconds. Below 10 % the period grows instead of the quota falling under its least."""
    quota = round(PERIOD_US * percent / 100)
    if quota >= LEAST_QUOTA_US:
        return quota, PERIOD_US
    return LEAST_QUOTA_US, round(LEAST_QUOTA_US * 100 / percent)


def quota_percent(quota: int, period: int) -> float | None:
    """The share of one core, to a hundredth of a percent; None without a limit (v1 says -1). Finer than that no group
    can be set: 9 % is 1000 us of 11,111, which are 9.0001, and a law would take the rest away again and again."""
    return None if quota < 0 or period <= 0 else round(100 * quota / period, 2)
