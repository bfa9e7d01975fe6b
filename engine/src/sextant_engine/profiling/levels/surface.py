"""A program that measures one point: a JSON object on its standard input, another on its standard output.

It runs with the rights of whoever names it, without a shell: only a person at a command line may name one.
"""

import json
import subprocess
import threading
from collections.abc import Sequence

from sextant_engine.errors import BadEngineInput

MOST_SECONDS = 60.0
"""For one point."""
MOST_BYTES = 64 * 2**10
"""Of an answer; a program that writes more is ended."""
FIELD = "surface.command"


def measured(command: Sequence[str], node: str, ways: int, percent: int, seconds: float = MOST_SECONDS) -> float:
    """Gbps at one point. Raises BadEngineInput where the program does not answer in time, in form or within size."""
    point = json.dumps({"node": node, "ways": ways, "mb_percent": percent}).encode()
    where = f"at {ways} ways and {percent} % on {node}"
    try:
        process = subprocess.Popen(  # noqa: S603 - the program that the caller names; no shell
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise BadEngineInput(FIELD, f"cannot be started: {error.strerror or error}") from None
    except ValueError:
        raise BadEngineInput(FIELD, "has a character that no command line can hold: remove it") from None
    late = threading.Timer(seconds, process.kill)
    late.start()
    try:
        raw = _answer(process, point)
        status = process.wait()
    finally:
        in_time = late.is_alive()
        late.cancel()
        process.kill()
        process.wait()
    if not in_time:
        raise BadEngineInput(FIELD, f"{where}: did not end within {seconds:g} s")
    if len(raw) > MOST_BYTES:
        raise BadEngineInput(FIELD, f"{where}: wrote more than {MOST_BYTES} bytes")
    if status != 0:
        raise BadEngineInput(FIELD, f"{where}: ended with status {status}")
    return _gbps(raw, where)


def _answer(process: "subprocess.Popen[bytes]", point: bytes) -> bytes:
    """At most one byte more than is allowed; the pipe holds a whole point, so that writing never waits."""
    if process.stdin is None or process.stdout is None:
        raise BadEngineInput(FIELD, "has no standard input or output")
    with process.stdin, process.stdout:
        try:
            process.stdin.write(point)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it answers without reading
        raw = process.stdout.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            process.kill()
        return raw


def _gbps(raw: bytes, where: str) -> float:
    try:
        answer = json.loads(raw)
    except (ValueError, RecursionError):
        answer = None
    gbps = answer.get("gbps") if isinstance(answer, dict) else None
    if isinstance(gbps, bool) or not isinstance(gbps, int | float) or not 0 <= gbps <= 1e6:
        raise BadEngineInput(FIELD, f'{where}: did not answer {{"gbps": a number of 0 to 1e6}}')
    return float(gbps)
