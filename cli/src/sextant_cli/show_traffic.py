"""A chain's traffic in words: what is offered, and what was measured of it."""

from sextant_domain.chains.traffic import Traffic
from sextant_domain.chains.traffic_kinds import FixedSize, Imix, MatchPayload, OnOff, Replay, SizeList, Trace, Zipf
from sextant_domain.console.views import ChainView

from sextant_cli.figures import gbps, micros, mpps
from sextant_cli.output import Printer


def show_traffic(out: Printer, chain: ChainView) -> None:
    """Tables of a row each; what was measured, and what the match left out, only where there is such a thing."""
    traffic, ingress = chain.spec.traffic, chain.spec.ingress
    out.table(("MATCH", "INGRESS"), [(ingress.match.text, ingress.host or "the engine chooses")], empty="")
    out.table(
        ("TRAFFIC Mpps>", "Gbps>", "PACKETS", "ARRIVALS", "FLOWS", "PAYLOAD"),
        [(mpps(traffic.rate_mpps), gbps(traffic.offered_gbps), *words(traffic))],
        empty="",
    )
    sample = chain.sample
    if sample is not None:
        out.table(
            ("MEASURED Mpps>", "Gbps>", "P50>", "P95>", "P99>", "P99.9>"),
            [
                (
                    mpps(sample.delivered_mpps),
                    gbps(sample.delivered_gbps),
                    *map(micros, (sample.p50_us, sample.p95_us, sample.p99_us, sample.p999_us)),
                )
            ],
            empty="",
        )
    if sample is not None and sample.unmatched_mpps is not None:
        out.table(
            ("UNMATCHED Mpps>", "MALFORMED Mpps>"),
            [(mpps(sample.unmatched_mpps), mpps(sample.malformed_mpps))],
            empty="",
        )


def words(traffic: Traffic) -> tuple[str, str, str, str]:
    """Packets, arrivals, flows, payload."""
    if traffic.pcap is not None:
        own = "of the capture"
        return _capture(traffic.pcap), _arrivals(traffic), own, own
    return _sizes(traffic), _arrivals(traffic), _flows(traffic), _payload(traffic)


def _capture(replay: Replay) -> str:
    return f"capture {replay.file[:19]}..."


def _flows(traffic: Traffic) -> str:
    match traffic.flow_distribution:
        case None:
            how = "round-robin"
        case Zipf(exponent=exponent):
            how = f"zipf {exponent:g}"
        case other:
            how = other.kind
    lane = "" if traffic.lane is None else f"; {traffic.lane.text}"
    return f"{traffic.flows}, {how}{lane}"


def _sizes(traffic: Traffic) -> str:
    match traffic.sizes:
        case Imix():
            return f"IMIX, mean {traffic.mean_packet_bytes:.0f} B"
        case SizeList(entries=entries):
            return f"{len(entries)} sizes, mean {traffic.mean_packet_bytes:.0f} B"
        case FixedSize(bytes=size):
            return f"{size} B"
        case None:
            return f"{traffic.packet_bytes} B"


def _arrivals(traffic: Traffic) -> str:
    if traffic.pcap is not None and traffic.pcap.timing == "file":
        return "the capture's gaps"
    match traffic.arrivals:
        case OnOff(on_ms=on, off_ms=off):
            return f"on {on:g} ms, off {off:g} ms, peak {mpps(traffic.peak_mpps)} Mpps"
        case Trace(steps=steps):
            return f"trace of {len(steps)} steps, peak {mpps(traffic.peak_mpps)} Mpps"
        case None:
            return "constant"
        case other:
            return other.kind


def _payload(traffic: Traffic) -> str:
    match traffic.payload:
        case MatchPayload(percent=percent, strings=strings):
            return f"{percent:g} % with one of {len(strings)} strings"
        case None:
            return "zero"
        case other:
            return other.kind
