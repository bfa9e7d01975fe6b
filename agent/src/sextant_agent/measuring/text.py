"""Results for people at a terminal. Pure."""

from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.profile import Estimate, NfEstimates, Pressure, ProfileMode, ProfileResult


def calibration_text(found: Calibration) -> str:
    """What the machine really is."""
    lines = [
        f"{found.fingerprint.cpu_model}, microcode {found.fingerprint.microcode}, "
        f"hypervisor {found.fingerprint.hypervisor or 'none'}",
        f"time-stamp counter {found.tsc_hz / 1e9:.3f} GHz",
        *(f"core {clock.core}: {_clock(clock.hz, clock.imul_ns)}" for clock in found.clocks),
        *(f"L{cache.level}: {_size(cache.size_bytes)}, {cache.load_ns:.1f} ns a load" for cache in found.caches),
        "memory: not reached by the sweep" if found.memory_ns is None else f"memory: {found.memory_ns:.0f} ns a load",
        *(
            f"cores {pair.first} and {pair.second}: {pair.ns:.0f} ns apart, {_SHARES[pair.shares_llc]}"
            for pair in found.pairs
        ),
        f"threshold: {_threshold(found.threshold_ns)} ({found.threshold_reason})",
        f"counters: {found.counters.source}"
        + (f" ({', '.join(found.counters.events)})" if found.counters.events else "")
        + (f"; {found.counters.reason}" if found.counters.reason else ""),
    ]
    return "\n".join(lines)


_SHARES = {True: "share an L3", False: "share no L3", None: "it is not known whether they share an L3"}


def profile_text(result: ProfileResult) -> str:
    """Figures with their intervals, or the reason why there are none."""
    if result.nf is None:
        return f"not measurable on this host: {result.not_measurable}"
    request = result.request
    names = [nf.nf_type for nf in (request.nf, *request.others)]
    lines = _nf_lines(names[0] + (" against a spinner" if result.beside else ""), result.nf)
    if result.beside is not None:
        lines += _nf_lines(f"{names[0]} beside {', '.join(names[1:])}", result.beside)
    for name, figures in zip(names[1:], result.others, strict=True):
        lines += _nf_lines(name, figures)
    if result.throughput_drop_percent is not None and result.cycles_rise_percent is not None:
        lines.append(f"throughput lost: {_estimate(result.throughput_drop_percent)} %, over {result.pairs} pairs")
        lines.append(f"cycles gained: {_estimate(result.cycles_rise_percent)} %")
    source = result.samples[0].counter_source
    lines.append(
        f"{len(result.samples)} samples ({'interval narrow enough' if result.ended == 'narrow' else 'limit reached'}), "
        f"{result.clean_slices} clean slices, {result.dropped_slices} dropped, {result.void_tries} void tries; "
        f"counters: {source}"
    )
    if request.mode is ProfileMode.SHARED_CORE:
        lines.append("throughput on a shared core is what each got done in all of the time, its turns and the others'")
    return "\n".join(lines)


def pressure_text(found: Pressure) -> str:
    """By counters or by substitutes, said so."""
    lines = [f"{found.nf_type}: by {found.source}"]
    for name, unit, value in (
        ("stalled cycles", "a packet", found.stalls_per_packet),
        ("sensitivity (1 M less 1 k flows)", "cycles a packet", found.sensitivity_cycles),
        ("lost to a walker through memory", "%", found.bubble_drop_percent),
        ("contentiousness", "% of a fixed reporter", found.contentiousness_percent),
    ):
        if value is not None:
            lines.append(f"{name}: {_estimate(value)} {unit}")
    return "\n".join([*lines, *found.notes])


def _nf_lines(name: str, figures: NfEstimates) -> list[str]:
    lines = [
        f"{name}: {_estimate(figures.mpps)} Mpps, {_estimate(figures.cycles_per_packet)} cycles a packet, "
        f"{figures.cpu_percent.value:.0f} % CPU"
    ]
    return lines + [f"  {event}: {_estimate(count)} a packet" for event, count in figures.counts.items()]


def _estimate(of: Estimate) -> str:
    return f"{of.value:.4g}" + ("" if of.half_width is None else f" +- {of.half_width:.2g}")


def _threshold(ns: float | None) -> str:
    return "none" if ns is None else f"{ns:.0f} ns"


def _clock(hz: float, imul_ns: float) -> str:
    return f"{hz / 1e9:.3f} GHz" if hz else f"{imul_ns:.3f} ns a multiplication"


def _size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"
