"""Options that several `measure` commands have."""

from pathlib import Path
from typing import Annotated

import typer

Nf = Annotated[str, typer.Option("--nf", help="NF type, as the data plane names it: router, firewall, ...")]
Config = Annotated[
    str, typer.Option(help="The NF's configuration as JSON; what is absent has the data plane's default.")
]
CoreNumber = Annotated[int | None, typer.Option("--core", help="Core to measure on; default: the last one allowed.")]
Flows = Annotated[int, typer.Option(help="Distinct 5-tuples of the traffic.")]
PacketBytes = Annotated[int, typer.Option(help="Frame size without FCS.")]
Seconds = Annotated[float, typer.Option(help="Length of one sample.")]
HalfWidth = Annotated[
    float, typer.Option(help="Repeat until the 95 % confidence interval is +- so many percent (points of the drop).")
]
MaxSamples = Annotated[int, typer.Option(help="Stop after so many samples in any case.")]
Against = Annotated[
    list[str], typer.Option(help="TYPE@CORE of a competitor, or TYPE of an NF on the same core; repeatable.")
]
AgainstConfig = Annotated[str, typer.Option(help="Configuration of all of --against, as JSON.")]
AgainstFlows = Annotated[int, typer.Option(help="Flows of all of --against.")]
AgainstRate = Annotated[
    float | None, typer.Option(help="Mpps that each of --against takes at most; default: as many as it can.")
]
Sandboxed = Annotated[bool, typer.Option("--sandboxed", help="Measure even where NFs are pinned to the cores.")]
StateDir = Annotated[
    Path | None,
    typer.Option(
        envvar="SEXTANT_AGENT_STATE_DIR", help="Folder that keeps the calibration; without it one is made each time."
    ),
]
Runner = Annotated[
    Path,
    typer.Option(envvar="SEXTANT_AGENT_RUNNER", help="Path of sextant-runner; sextant-measure lies beside it."),
]
AsJson = Annotated[bool, typer.Option("--json", help="The whole result as one JSON object on stdout.")]

DEFAULT_RUNNER = Path("dataplane/build/sextant-runner")
