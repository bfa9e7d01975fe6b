"""What an uploaded file must be: text that a person can read, or a packet trace that is whole."""

import io
import struct

import pytest
from artefact_world import a_trace
from sextant_backend.modules.artefacts.contents import MAX_FAULTS, MAX_LINE_BYTES, faults
from sextant_domain.hosts.artefact import FileKind

PACKET = bytes(60)


def faults_of(content: bytes, kind: FileKind = FileKind.ROUTES) -> list[str]:
    return faults(kind, io.BytesIO(content), len(content))


@pytest.mark.parametrize(
    "content",
    [b"10.0.0.0/8 1\n", b"10.0.0.0/8\t1\r\nlast line without an end", "GET /café\n".encode(), b"\n\n# only this\n"],
)
def test_text_is_taken_as_it_is(content: bytes) -> None:
    assert faults_of(content) == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file holds nothing but white space"),
        (b"good\n\xff\xfe", "line 2: byte 0xff at column 1 is not UTF-8; save the file as UTF-8"),
        (b"one\ntwo\nna\x00me\n", "line 3: U+0000 at column 3 cannot be printed; write it as an escape, or remove it"),
        (b"a\x1b[2J\n", "line 1: U+001B at column 2 cannot be printed; write it as an escape, or remove it"),
        ("a\u202eb\n".encode(), "line 1: U+202E at column 2 cannot be printed; write it as an escape, or remove it"),
        (b"one\rtwo\n", "line 1: U+000D at column 4 ends a line for some readers; only a line feed does here"),
        ("\ufeff10.0.0.0/8 1".encode(), "line 1: begins with a byte-order mark; save the file as UTF-8 without one"),
        (b"x" * (MAX_LINE_BYTES + 1), f"line 1 is longer than {MAX_LINE_BYTES} bytes"),
    ],
)
def test_other_text_is_refused_with_its_line_and_the_cause(content: bytes, fault: str) -> None:
    assert faults_of(content) == [fault]


def test_so_many_faults_are_reported_and_no_more() -> None:
    assert len(faults_of(b"\x00\n" * 1000)) == MAX_FAULTS


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D])
def test_traces_of_every_machine_are_taken(order: str, magic: int) -> None:
    assert faults_of(a_trace(PACKET, bytes(1500), order=order, magic=magic), FileKind.PCAP) == []


WHOLE = a_trace(PACKET, PACKET)
SECOND = 24 + 16 + 60


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"GIF89a, and more", "begins with 47 49 46 38, which is no pcap file"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "this is pcapng; a pcap file is needed (editcap -F pcap in.pcapng out.pcap)"),
        (WHOLE[:20], "the file's header has 24 bytes; it ends after 20"),
        (a_trace(), "it holds no packet"),
        (a_trace(PACKET, link_type=101), "its link type is 101; 1 (Ethernet) is needed"),
        (WHOLE[:-1], f"packet 2 at byte {SECOND + 16} is cut off: it has 60 bytes, 59 are left"),
        (WHOLE[: SECOND + 7], f"packet 2 at byte {SECOND} is cut off: 7 of its header's 16 bytes are left"),
        (
            WHOLE[:SECOND] + struct.pack("<IIII", 1, 2, 2**31, 2**31),
            "packet 2 says that it has 2147483648 bytes: the file is damaged there",
        ),
    ],
)
def test_other_traces_are_refused_with_the_packet_and_the_cause(content: bytes, fault: str) -> None:
    assert faults_of(content, FileKind.PCAP) == [fault]
