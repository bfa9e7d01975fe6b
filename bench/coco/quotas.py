"""CoCo's Fig. 5 in the paper's own way: what an NF that always has work carries of 10 to 90 % of its core.

An NF that is denied time by a quota neither sleeps nor wakes for want of packets: what that costs at low rates is in
the other table (`linearity.py`) and not in this one.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import Any

import page
from host import BenchHost, ChainLoad, host
from linearity import SETTINGS
from quota import SHARE, quota_points, unused_percent
from setting import NotMeasured, Setting
from sextant_agent.machine.proc import read_stat
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.hosts.measured_shares import SharePoint
from sextant_domain.hosts.telemetry import NfSample
from sextant_engine.profiling.shares.line import NoLine, share_line

Points = dict[int, list[NfSample]]


def table() -> Iterator[str]:
    """A row a type; where its points cannot be trusted the reason instead."""
    least = SETTINGS["least_r_squared"]
    yield from page.head(
        "NF", "quota of its core as a function of its rate, Mpps", "R^2", f"paper: R^2 >= {least}", "points",
        "most of the time neither used nor denied, %", "load before, after",
    )  # fmt: skip
    try:
        with host(Setting(quick=False, cores=tuple(sorted(os.sched_getaffinity(0))))) as found:
            for one in SETTINGS["quotas"]["types"]:
                before = os.getloadavg()[0]
                told = _row(found, one, least)
                yield page.line(_name(one), *told, f"{before:.1f}, {os.getloadavg()[0]:.1f}")
    except NotMeasured as error:
        yield page.line("all", f"not measured: {error}", "-", "-", "-", "-", "-")


def _name(one: dict[str, Any]) -> str:
    changes = "".join(f", {key} {value}" for key, value in one["config"].items())
    return f"{one['nf_type']}{changes}, {one['traffic']['packet_bytes']} B"


def _row(found: BenchHost, one: dict[str, Any], least: float) -> list[str]:
    of = SETTINGS["quotas"]
    config = {**BY_NAME[one["nf_type"]].default_config(), **one["config"]}
    load = ChainLoad("one", config, one["rate_mpps"], SHARE, nf_type=one["nf_type"], traffic=one["traffic"])
    try:
        found.run([load])
        _hold_the_core(found)
        points = quota_points(
            found,
            load,
            rounds=of["rounds"],
            seconds=of["seconds"],
            most_unused=of["most_unused_percent"],
            tries=of["tries"],
        )
    except NotMeasured as error:
        return [f"not measured: {error}", "-", "-", "-", "-"]
    unused = max(unused_percent(sample) for samples in points.values() for sample in samples)
    return [*_line(points, least), f"{unused:.1f}"]


def _hold_the_core(found: BenchHost) -> None:
    """Of source and sink, against other sessions' work, where the kernel weighs sessions: the NF has a group's share
    for that."""
    pid = next(iter(found.driver.sample().nfs.values())).pid
    stat = None if pid is None else read_stat(pid)
    if stat is None:
        raise NotMeasured("the NF has no process")
    with suppress(OSError):  # a kernel without such weights
        Path(f"/proc/{stat.session}/autogroup").write_text("-20")


def _line(points: Points, least: float) -> list[str]:
    rates = {quota: mean(sample.rx_mpps for sample in samples) for quota, samples in points.items()}
    told = ", ".join(f"{quota} %: {mpps:.3g}" for quota, mpps in rates.items())
    try:
        line = share_line([SharePoint(mpps=mpps, share=quota / 100) for quota, mpps in rates.items()])
    except NoLine as error:
        return [f"no line: {error}", "-", "**failed**", told]
    rest = "" if line.intercept_half_width is None else f" ± {line.intercept_half_width:.3f}"
    formula = f"{line.slope:.4f} ± {line.slope_half_width:.4f} v + {line.intercept:.3f}{rest}"
    return [formula, f"{line.r_squared:.5f}", "passed" if line.r_squared >= least else "**failed**", told]
