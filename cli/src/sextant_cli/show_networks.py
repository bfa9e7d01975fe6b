"""Trained networks of sfc2cpu and their promotions, as text."""

from sextant_domain.studies.networks import NetworkPromotion, TrainedNetwork
from sextant_domain.studies.school_costs import games_text

from sextant_cli.figures import NONE, ago

NETWORK_COLUMNS = (
    "NETWORK", "CORES>", "GAMES BY", "SEED>", "STEPS>", "EXAM>", "RR>", "LPT>", "TWIN>", "RR>", "LPT>", "STATE",
    "BY", "TRAINED",
)  # fmt: skip
PROMOTION_COLUMNS = ("NETWORK", "CORES>", "PROMOTED", "BY", "STATE", "ASSIGNED", "MEASURED")
SHOWN = 12
"""Digits of a digest."""


def network_row(network: TrainedNetwork) -> tuple[str, ...]:
    """A line of a list; exams in per cent of the packets."""
    report = network.report
    curve, exam = report.curve, report.exam
    last = curve.marks[-1].served if curve.marks else None
    return (
        short(network.weights),
        str(report.cores),
        games_text(curve.cost),
        str(report.seed),
        f"{report.steps:,}",
        *map(_percent, (last, curve.rr, curve.lpt, exam.network, exam.rr, exam.lpt)),
        "in force" if network.in_force else "trained",
        network.trained_by,
        ago(network.trained_at),
    )


def promotion_row(one: NetworkPromotion) -> tuple[str, ...]:
    """A line of a list."""
    measured = [
        f"{name}: {_percent(host.served)} of packets, round robin {_percent(host.round_robin)}"
        for name, host in sorted(one.hosts.items())
        if host.served is not None
    ]
    state = "in force" if one.ended is None else f"{one.ended.value} {ago(one.ended_at)} by {one.ended_by}"
    if one.rests_until is not None:
        state += f", rests until {one.rests_until:%H:%M} UTC"
    return (
        short(one.weights),
        str(one.cores),
        ago(one.promoted_at),
        one.promoted_by,
        state,
        ", ".join(sorted(one.hosts)) or NONE,
        "; ".join(measured) or NONE,
    )


def promoted_text(one: NetworkPromotion) -> str:
    """'network 664f30a36add is in force for hosts with 4 cores that NFs may share'."""
    return f"network {short(one.weights)} is in force for hosts with {one.cores} cores that NFs may share"


def reverted_text(one: NetworkPromotion) -> str:
    """'network 664f30a36add was reverted; in force for 4 cores is calibrated or min_max, as each host has it'."""
    before = "calibrated or min_max, as each host has it" if one.before is None else f"network {short(one.before)}"
    return f"network {short(one.weights)} was reverted; in force for {one.cores} cores is {before}"


def short(weights: str, digits: int | None = SHOWN) -> str:
    """'664f30a36add'; None: all digits."""
    return weights.removeprefix("sha256:")[:digits]


def _percent(part: float | None) -> str:
    return NONE if part is None else f"{100 * part:.1f} %"
