"""CoCo's Fig. 5 with real packets on this machine: what part of a core an NF takes by its rate.

Measured as a profiling job on the testbed does: the NF over rings of a runner of its own, offered a full line first and
then six rates up to 90 % of what it carried of that, the share by the CPU time of its process.
"""

import os
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.testbed.profile import TestbedProfiler
from sextant_agent.machine.inventory import offered_cores
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.hosts.host import HostInventory, NumaNode, traffic_core
from sextant_domain.hosts.measured_shares import MeasuredShares
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf, line_rate_mpps
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic
from sextant_domain.profiling.shares_ask import SharesAsk
from sextant_engine.profiling.shares.points import MeasuredShare, next_share, shares_of

RUNNER = Path(__file__).resolve().parents[2] / "dataplane" / "build" / "sextant-runner"
SETTINGS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("linearity.toml").read_text())


def table() -> Iterator[str]:
    """A row a type, as soon as it is measured; the load of the machine before and after stands in it."""
    of, paper = SETTINGS, f"paper: R^2 >= {SETTINGS['least_r_squared']}"
    yield from page.head(
        "NF",
        "carries, Mpps",
        "of a full line, because",
        "f(v), part of a core, v in Mpps",
        "R^2",
        paper,
        "points",
        "load before, after",
    )
    for nf_type, changes in of["types"].items():
        before = os.getloadavg()[0]
        try:
            told = _cells(*_measured(nf_type, changes, of))
        except DriverError as error:
            told = ["-", "-", f"not measured: {error}", "-", "-", "-"]
        name = nf_type + "".join(f", {key} {value}" for key, value in changes.items())
        yield page.line(name, *told, f"{before:.1f}, {os.getloadavg()[0]:.1f}")


def _cells(found: MeasuredShares, limit: str) -> list[str]:
    points = ", ".join(f"{point.mpps:.3g}: {100 * point.share:.1f} %" for point in found.points)
    carries = f"{found.carries_mpps:.3g}"
    if found.line is None:
        return [carries, limit, f"no line: {found.refused}", "-", "**failed**", points]
    line = found.line
    rest = "" if line.intercept_half_width is None else f" ± {line.intercept_half_width:.3f}"
    told = f"{line.slope:.4f} ± {line.slope_half_width:.4f} v + {line.intercept:.3f}{rest}"
    passed = "passed" if line.r_squared >= SETTINGS["least_r_squared"] else "**failed**"
    return [carries, limit, told, f"{line.r_squared:.4f}", passed, points]


def _measured(nf_type: str, changes: dict[str, Any], of: dict[str, Any]) -> tuple[MeasuredShares, str]:
    """With what kept it from carrying all of a full line. Raises DriverError: other work takes the cores, or there is
    no data plane."""
    host = _this_machine()
    traffic = ProfileTraffic(packet_bytes=of["packet_bytes"], flows=of["flows"])
    ask = ProfilingAsk(
        nf_type=nf_type, host=host.host_id, flows=traffic.flows, packet_bytes=traffic.packet_bytes, shares=SharesAsk()
    )
    node = host.nodes[0].id
    setting: PointSetting | None = PointSetting(
        purpose=PointPurpose.SHARE,
        ingress_node=node,
        chain=(StandingNf(nf_type=nf_type, node=node),),
        rate_mpps=line_rate_mpps(ask.packet_bytes),
    )
    found: list[MeasuredShare] = []
    limit = "-"
    with tempfile.TemporaryDirectory(prefix="sextant-linearity-") as folder:
        profiler = TestbedProfiler(RUNNER, Path(folder), Path(folder) / "sockets", lambda: None)
        while setting is not None:
            request = ProfileRequest(
                mode=ProfileMode.SOLO,
                nf=ProfiledNf(
                    nf_type=nf_type,
                    config={**BY_NAME[nf_type].default_config(), **changes},
                    core=next(core.id for core in host.cores if core.id != traffic_core(host.cores)),
                    traffic=traffic,
                ),
                offered_mpps=setting.rate_mpps,
                seconds=of["seconds"],
                half_width_percent=of["half_width_percent"],
                max_samples=of["max_samples"],
                sandboxed=True,
            )
            result = profiler.profile(request, host, MeasurementWatch(lambda _: None, lambda: False))
            if result.nf is None:
                raise DriverError(result.not_measurable or "it has no figure")
            if not found:
                limit = "; ".join(result.notes) or "-"
            found.append(MeasuredShare(setting, result.nf.mpps.value, result.nf.cpu_percent))
            setting = next_share(ask, found, hops={})
    return shares_of(ask, found), limit


def _this_machine() -> HostInventory:
    """Its cores; two are needed, one of them for source and sink."""
    cores = offered_cores(read_machine(Path("/")), "small-hosts")
    if len(cores) < 2:
        raise DriverError("one core is offered to NFs, and source and sink need one of their own")
    nodes = tuple(NumaNode(id=node, socket=0, memory_bytes=0) for node in sorted({core.node for core in cores}))
    return HostInventory(
        host_id="here", hostname="here", host_model="here", driver="testbed", kernel="", agent_version="", nodes=nodes,
        cores=cores,
    )  # fmt: skip
