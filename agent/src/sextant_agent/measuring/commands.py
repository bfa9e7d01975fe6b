"""`python -m sextant_agent measure ...`: the measuring protocol for operators, without console or agent."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic import BaseModel, ValidationError
from sextant_domain.base import own_words
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileProgress, ProfileRequest, ProfileResult

from sextant_agent.measuring import text
from sextant_agent.measuring.busy import pinned_nfs
from sextant_agent.measuring.options import (
    DEFAULT_RUNNER,
    Against,
    AgainstConfig,
    AgainstFlows,
    AgainstRate,
    AsJson,
    Config,
    CoreNumber,
    Flows,
    HalfWidth,
    MaxSamples,
    Nf,
    PacketBytes,
    Runner,
    Sandboxed,
    Seconds,
    StateDir,
)
from sextant_agent.measuring.pressure import measure_pressure
from sextant_agent.measuring.profiler import HostProfiler
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram
from sextant_agent.measuring.watch import MeasurementWatch

app = typer.Typer(
    help="Measure NFs on this machine: calibrate it, then solo, colocation, shared-core or pressure.",
    no_args_is_help=True,
)


@app.command()
def calibrate(
    *,
    cores: Annotated[str, typer.Option(help="Cores as 0,2-5; default: all allowed ones without NFs.")] = "",
    state_dir: StateDir = None,
    runner: Runner = DEFAULT_RUNNER,
    as_json: AsJson = False,
) -> None:
    """Measure the machine itself: clocks, which cores share an L3, real cache sizes, counters. Takes some seconds."""
    from sextant_agent.machine.cpulist import parse_cpulist

    try:
        wanted = parse_cpulist(cores) or _free_cores()
        if not wanted:
            _fail("every core runs NFs: name cores with --cores to measure beside them")
        found = _profiler(runner, state_dir).calibrate(wanted, _watch())
    except (ValueError, MeasureFailed, OSError) as error:
        _fail(str(error))
    _print(found, text.calibration_text(found), as_json=as_json)


@app.command()
def solo(
    *,
    nf: Nf,
    config: Config = "{}",
    core: CoreNumber = None,
    flows: Flows = 1000,
    packet_bytes: PacketBytes = 64,
    seconds: Seconds = 1.0,
    half_width: HalfWidth = 1.0,
    max_samples: MaxSamples = 10,
    sandboxed: Sandboxed = False,
    state_dir: StateDir = None,
    runner: Runner = DEFAULT_RUNNER,
    as_json: AsJson = False,
) -> None:
    """Throughput and cycles a packet of one NF alone on its core."""
    asked = {
        "mode": ProfileMode.SOLO,
        "nf": _nf(nf, config, _core(core), flows, packet_bytes),
        "seconds": seconds,
        "half_width_percent": half_width,
        "max_samples": max_samples,
        "sandboxed": sandboxed,
    }
    _profile(asked, state_dir, runner, as_json=as_json)


@app.command()
def colocation(
    *,
    nf: Nf,
    against: Against,
    config: Config = "{}",
    core: CoreNumber = None,
    flows: Flows = 1000,
    packet_bytes: PacketBytes = 64,
    against_config: AgainstConfig = "{}",
    against_flows: AgainstFlows = 1000,
    against_rate: AgainstRate = None,
    pairs: Annotated[int, typer.Option(help="Swaps of competitor and spinner in one sample; even.")] = 16,
    half_width: HalfWidth = 1.0,
    max_samples: MaxSamples = 10,
    sandboxed: Sandboxed = False,
    state_dir: StateDir = None,
    runner: Runner = DEFAULT_RUNNER,
    as_json: AsJson = False,
) -> None:
    """What an NF loses to competitors on other cores of its L3, in swapped pairs against a spinner."""
    others = [_other(each, None, against_config, against_flows, packet_bytes) for each in against]
    for other in others:
        other["traffic"]["rate_mpps"] = against_rate
    asked = {
        "mode": ProfileMode.COLOCATION,
        "nf": _nf(nf, config, _core(core), flows, packet_bytes),
        "others": others,
        "pairs": pairs,
        "half_width_percent": half_width,
        "max_samples": max_samples,
        "sandboxed": sandboxed,
    }
    _profile(asked, state_dir, runner, as_json=as_json)


@app.command("shared-core")
def shared_core(
    *,
    nf: Nf,
    against: Against,
    config: Config = "{}",
    core: CoreNumber = None,
    flows: Flows = 1000,
    packet_bytes: PacketBytes = 64,
    against_config: AgainstConfig = "{}",
    against_flows: AgainstFlows = 1000,
    seconds: Seconds = 1.0,
    half_width: HalfWidth = 1.0,
    max_samples: MaxSamples = 10,
    sandboxed: Sandboxed = False,
    state_dir: StateDir = None,
    runner: Runner = DEFAULT_RUNNER,
    as_json: AsJson = False,
) -> None:
    """How the kernel divides one core among NFs that never wait, and what each gets done."""
    chosen = _core(core)
    asked = {
        "mode": ProfileMode.SHARED_CORE,
        "nf": _nf(nf, config, chosen, flows, packet_bytes),
        "others": [_other(each, chosen, against_config, against_flows, packet_bytes) for each in against],
        "seconds": seconds,
        "half_width_percent": half_width,
        "max_samples": max_samples,
        "sandboxed": sandboxed,
    }
    _profile(asked, state_dir, runner, as_json=as_json)


@app.command()
def pressure(
    *,
    nf: Nf,
    config: Config = "{}",
    core: CoreNumber = None,
    other_core: Annotated[
        int | None, typer.Option(help="Core of competitors; default: the first other one that is allowed.")
    ] = None,
    packet_bytes: PacketBytes = 64,
    state_dir: StateDir = None,
    runner: Runner = DEFAULT_RUNNER,
    as_json: AsJson = False,
) -> None:
    """Stalled cycles a packet by hardware counters; without counters, what stands in for them."""
    chosen = _core(core)
    rest = [number for number in sorted(os.sched_getaffinity(0)) if number != chosen]
    other = (rest[0] if rest else None) if other_core is None else other_core
    profiler = _profiler(runner, state_dir)
    try:
        wanted = ProfiledNf.model_validate(_nf(nf, config, chosen, 1000, packet_bytes))
        found = measure_pressure(
            wanted,
            other,
            profiler.nf_types(),
            lambda request: profiler.profile(request, _free_cores(), _watch(), _free(request)),
        )
    except ValidationError as error:
        _fail(_first(error))
    except (MeasureFailed, OSError) as error:
        _fail(str(error))
    _print(found, text.pressure_text(found), as_json=as_json)


def _profile(asked: dict[str, Any], state_dir: Path | None, runner: Path, *, as_json: bool) -> None:
    try:
        request = ProfileRequest.model_validate(asked)
        result: ProfileResult = _profiler(runner, state_dir).profile(request, _free_cores(), _watch(), _free(request))
    except ValidationError as error:
        _fail(_first(error))
    except (MeasureFailed, OSError) as error:
        _fail(str(error))
    _print(result, text.profile_text(result), as_json=as_json)


class _Busy(MeasureFailed):
    """A core is not free."""


def _free_cores() -> tuple[int, ...]:
    """Calibrating a core that runs NFs would hold them up."""
    allowed = os.sched_getaffinity(0)
    return tuple(sorted(allowed - {process.core for process in pinned_nfs(allowed)}))


def _free(request: ProfileRequest) -> Any:
    def check() -> None:
        for process in () if request.sandboxed else pinned_nfs(request.cores):
            raise _Busy(
                f"core {process.core} runs {process.name} (pid {process.pid}): measure on another core, or give "
                "--sandboxed if it belongs to the measurement"
            )

    return check


def _profiler(runner: Path, state_dir: Path | None) -> HostProfiler:
    return HostProfiler(MeasureProgram(runner.absolute().with_name("sextant-measure")), state_dir)


def _watch() -> MeasurementWatch:
    def reported(progress: ProfileProgress) -> None:
        done = f" {progress.samples} of at most {progress.limit}" if progress.limit else ""
        note = f": {progress.note}" if progress.note else ""
        typer.echo(f"{progress.stage}{done}{note}", err=True)

    return MeasurementWatch(progress=reported)


def _core(core: int | None) -> int:
    return max(os.sched_getaffinity(0)) if core is None else core


def _nf(nf_type: str, config: str, core: int, flows: int, packet_bytes: int) -> dict[str, Any]:
    try:
        settings = json.loads(config)
    except ValueError as error:
        _fail(f"the configuration of {nf_type} is no JSON: {error}")
    traffic = {"packet_bytes": packet_bytes, "flows": flows}
    return {"nf_type": nf_type, "config": settings, "core": core, "traffic": traffic}


def _other(against: str, core: int | None, config: str, flows: int, packet_bytes: int) -> dict[str, Any]:
    """`TYPE@CORE`, or `TYPE` where the core is the same."""
    nf_type, at, number = against.partition("@")
    if core is None and not (at and number.isdecimal()):
        _fail(f"--against {against}: TYPE@CORE is expected, such as basic-monitor@0")
    if core is not None and at:
        _fail(f"--against {against}: they share core {core}, give the type only")
    return _nf(nf_type, config, int(number) if core is None else core, flows, packet_bytes)


def _print(found: BaseModel, for_people: str, *, as_json: bool) -> None:
    sys.stdout.write((found.model_dump_json(indent=1) if as_json else for_people) + "\n")


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = own_words(first["msg"])
    return f"{where}: {message}" if where else message


def _fail(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(1)
