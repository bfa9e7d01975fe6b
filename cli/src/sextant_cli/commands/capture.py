"""`sextant chains capture`: the next packets that leave a chain, and what they measured of themselves."""

from typing import Annotated

import typer
from sextant_domain.hosts.packet_capture import MOST_PACKETS, USUAL_PACKETS, PacketCapture

from sextant_cli.client import path_of
from sextant_cli.figures import micros
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, read, session_of


def capture(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="CHAIN", help="The chain's name; of one over several hosts, any part.")
    ],
    *,
    packets: Annotated[int, typer.Option(min=1, max=MOST_PACKETS, help="How many, at most.")] = USUAL_PACKETS,
    headers: Annotated[
        bool, typer.Option("--headers", help="Also the bytes of their outer headers, in hexadecimal digits.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    """Look at the next packets that leave a chain: how long each NF had each of them.

    On hosts whose packets measure themselves (driver srv6). Waits for 2 s at most, and shows what came by then.
    """
    session = session_of(ctx, output)
    body = session.api.post(path_of("chains", name, "captures"), {"packets": packets}).body
    if session.out.is_json:
        session.out.json(body)
        return
    _show(session.out, read(PacketCapture, body), headers=headers)


def _show(out: Printer, found: PacketCapture, *, headers: bool) -> None:
    if len(found.packets) < found.asked_for:
        out.progress(f"{len(found.packets)} of {found.asked_for} packets left {found.chain} on {found.host} within 2 s")
    nfs = list(dict.fromkeys(hop.nf_id for packet in found.packets for hop in packet.path))
    rows = []
    for number, packet in enumerate(found.packets, start=1):
        had = {hop.nf_id: hop.nf_latency_us for hop in packet.path}
        row = (str(number), f"{packet.flow_label:05x}", packet.inner, str(packet.hop_limit))
        rows.append((*row, *(micros(had.get(nf)) for nf in nfs), *([packet.headers] if headers else [])))
    columns = ("PACKET>", "FLOW", "INNER", "HOP LIMIT>", *(f"{nf}>" for nf in nfs), *(["HEADERS"] if headers else []))
    out.table(columns, rows, empty=f"no packet left {found.chain} on {found.host} within 2 s")
