"""What the shape of a chain's traffic costs its source: sizes, arrivals, flows and payload beside the plain one."""

import statistics
from collections.abc import Iterator
from typing import Any

from page import head, line
from runner import CHAIN, Runner, source
from setting import NotMeasured, Setting

RATE_MPPS = 1.0
MANY = 100_000
KINDS: dict[str, dict[str, Any]] = {
    "plain: 64 B, constant, 1000 flows in turn": {},
    "sizes: imix": {"sizes": {"kind": "imix"}},
    "arrivals: poisson": {"arrivals": {"kind": "poisson"}},
    f"flows: uniform over {MANY:,}": {"flows": MANY, "flow_distribution": {"kind": "uniform"}},
    f"flows: zipf 1.1 over {MANY:,}": {"flows": MANY, "flow_distribution": {"kind": "zipf", "exponent": 1.1}},
    "payload: random": {"payload": {"kind": "random"}},
    "payload: 5 % matches": {"payload": {"kind": "matches", "percent": 5, "strings": ["malicious"]}},
}
KINDS["all of them, 5 % matches"] = {name: value for kind in KINDS.values() for name, value in kind.items()}


def shapes(setting: Setting) -> Iterator[str]:
    """A row a kind; every round sends each for a second, forwards and backwards in turn."""
    yield from setting.preface("shapes", "")
    yield from head(f"source, {RATE_MPPS:g} Mpps", "cycles a packet, least", "median", "beside plain")
    found: dict[str, list[float]] = {name: [] for name in KINDS}
    with Runner(setting.nf_core, (setting.nf_core,)) as runner:
        runner.add([("simple-forward", {"loops": 0}, setting.nf_core)], "isolated")
        for number in range(setting.pick(8, 1)):
            for name in list(KINDS)[:: 1 if number % 2 == 0 else -1]:
                found[name].append(_cycles(runner, KINDS[name], setting.pick(1.0, 0.3)))
    plain = statistics.median(found[next(iter(KINDS))])
    for name, values in found.items():
        median = statistics.median(values)
        yield line(name, f"{min(values):.0f}", f"{median:.0f}", f"{median / plain:.2f} x")


def _cycles(runner: Runner, kind: dict[str, Any], seconds: float) -> float:
    """Of the traffic process: source, sink and its wake-ups."""
    runner.call("set_source", chain=CHAIN, source={**source(RATE_MPPS), **kind})
    span = runner.over(seconds)
    packets = span.chain("sent")
    if packets == 0:
        raise NotMeasured("the source sent nothing")
    return span.traffic_cycles() / packets
