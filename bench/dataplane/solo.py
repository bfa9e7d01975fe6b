"""Every NF alone, beside what its library does on the same tables and packets and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from page import head, line
from setting import Setting, rows
from solo_run import IMIX, Figures, run_solo

MANY = 1_000_000
TABLE = {"flow_table_entries": 1 << 20}
BACKENDS = {"backends": [{"address": f"10.200.0.{number}", "weight": 1} for number in range(1, 9)]}
RANDOM_PAYLOAD = {"payload": {"kind": "random"}}


@dataclass(frozen=True)
class NfConfiguration:
    """One NF as it is configured."""

    name: str
    kind: str
    primitive: str
    """What the library does: the limit."""
    config: dict[str, Any] = field(default_factory=dict)
    many: dict[str, Any] | None = None
    """The configuration for a million flows, where a flow costs memory."""
    source: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A row with its traffic."""

    row: NfConfiguration
    traffic: str
    config: dict[str, Any]
    flows: int
    source: dict[str, Any]


ROUTES = {"routes": [{"prefix": "192.168.0.0/16", "next_hop": 1}], "synthetic_routes": 100_000}
CONNECTIONS = {**BACKENDS, "connection_table_entries": 65536}
ROWS = (
    NfConfiguration("simple-forward", "simple-forward", ""),
    NfConfiguration("simple-forward, 100 loops", "simple-forward", "", {"loops": 100}),
    NfConfiguration("router, 100 k routes", "router", "rte_lpm_lookup_bulk", ROUTES, ROUTES),
    NfConfiguration("firewall, 1000 rules", "firewall", "rte_acl_classify", {"synthetic_rules": 1000}),
    NfConfiguration("basic-monitor", "basic-monitor", "rte_hash_lookup_bulk", {}, TABLE),
    NfConfiguration("nat", "nat", "rte_hash_lookup_bulk", {}, TABLE),
    NfConfiguration("load-balancer", "load-balancer", "CRC and Maglev's table", BACKENDS),
    NfConfiguration(
        "load-balancer, connections",
        "load-balancer",
        "rte_hash_lookup_bulk",
        CONNECTIONS,
        {**BACKENDS, "connection_table_entries": 1 << 20},
    ),
    NfConfiguration(
        "nids, 300 patterns, random payload", "nids", "hs_scan", {"synthetic_patterns": 300}, source=RANDOM_PAYLOAD
    ),
    NfConfiguration("vpn, tunnel", "vpn", "AES-128-GCM in place"),
    NfConfiguration("dpi, flows decided", "dpi", "rte_hash_lookup_bulk", {}, TABLE),
    NfConfiguration("bubble, 16 lines of 1 MiB", "bubble", "the walk"),
)


def solo(setting: Setting) -> Iterator[str]:
    """A row a kind of traffic."""
    yield from setting.preface("solo", "at most twice the cycles of the library alone; what takes more is set bold")
    yield from head("NF", "traffic", "Mpps", "cycles", "its library alone", "Mpps", "cycles", "NF / library")
    yield from rows(_cases(setting), lambda case: _row(setting, case), _blank)


def _cases(setting: Setting) -> list[Case]:
    found = []
    for row in ROWS:
        found.append(Case(row, "64 B, 1 k flows", row.config, 1000, row.source))
        if setting.quick:
            continue
        found.append(Case(row, "IMIX, 1 k flows", row.config, 1000, {**row.source, **IMIX}))
        if row.many is not None:
            found.append(Case(row, "64 B, 1 M flows", row.many, MANY, row.source))
    return found


def _row(setting: Setting, case: Case) -> str:
    ours = _quickest(setting, case, "nf")
    if not case.row.primitive:
        return line(case.row.name, case.traffic, *_cells(ours), "-", "-", "-", "-")
    theirs = _quickest(setting, case, "primitive")
    ratio = ours.cycles / theirs.cycles
    ratio_cell = f"**{ratio:.2f}**" if ratio > 2 else f"{ratio:.2f}"
    return line(case.row.name, case.traffic, *_cells(ours), case.row.primitive, *_cells(theirs), ratio_cell)


def _quickest(setting: Setting, case: Case, work: str) -> Figures:
    """Of fresh processes: each lays its tables out anew, and other work only ever makes one slower."""
    found = [
        run_solo(
            setting,
            case.row.kind,
            case.config,
            seconds=setting.pick(0.3, 0.1),
            work=work,
            flows=case.flows,
            more=case.source,
        )
        for _ in range(setting.pick(2, 1))
    ]
    return min(found, key=lambda figures: figures.cycles)


def _cells(figures: Figures) -> tuple[str, str]:
    return f"{figures.mpps:.1f}", f"{figures.cycles:.1f}"


def _blank(case: Case, reason: str) -> str:
    return line(case.row.name, case.traffic, f"not measured: {reason}", "", "", "", "", "")
