"""Libraries that a program asks the loader for, and those that it would not find; ld.so(8), elf(5). Nothing is run."""

import mmap
import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.doctor.sight import Sight

_CACHE = Path("/etc/ld.so.cache")
_ALWAYS = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
_IDENT = b"\x7fELF\x02\x01"
"""64 bits, the lowest byte first: what DPDK runs on here."""
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29
_MOST = 4096
"""Entries of a table that is read."""


@dataclass(frozen=True, slots=True)
class Links:
    """What a program's file says of its libraries."""

    needed: tuple[str, ...]
    folders: tuple[str, ...]
    """Where they are looked for first; `$ORIGIN` is the program's own."""


def links_of(path: Path) -> Links | None:
    """None where it is no program of this kind, or is linked statically."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _links(content) if content[:6] == _IDENT else None
    except (OSError, ValueError, struct.error, StopIteration):  # not there, empty, or not what it seems
        return None


def not_found(sight: Sight, program: Path, links: Links) -> list[str]:
    """Libraries of DPDK among those needed that the loader would not find. `program`: an absolute path of the
    machine."""
    first = [folder.replace("$ORIGIN", str(program.parent)) for folder in links.folders]
    own = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    folders = [Path(folder) for folder in (*first, *own, *_ALWAYS) if folder.startswith("/")]
    cached = _cached(sight)
    return [
        name
        for name in links.needed
        if name.startswith("librte_")
        and not any(
            sight.at(path).is_file() for path in (*(folder / name for folder in folders), *cached.get(name, ()))
        )
    ]


def _cached(sight: Sight) -> Mapping[str, list[Path]]:
    try:
        content = sight.at(_CACHE).read_bytes()
    except OSError:
        return {}
    found: dict[str, list[Path]] = {}
    for text in re.findall(rb"/[^\0]*/librte_[^\0/]*(?=\0)", content):
        path = Path(os.fsdecode(text))
        found.setdefault(path.name, []).append(path)
    return found


def _links(content: mmap.mmap) -> Links | None:
    start, size, number = *struct.unpack_from("<Q", content, 32), *struct.unpack_from("<HH", content, 54)
    headers = [struct.unpack_from("<IIQQQQ", content, start + size * one) for one in range(min(number, _MOST))]
    dynamic = next(((offset, length) for kind, _, offset, _, _, length in headers if kind == _DYNAMIC), None)
    if dynamic is None:
        return None
    entries = list(_entries(content, *dynamic))
    address = next(value for tag, value in entries if tag == _STRINGS)
    strings = next(
        offset + address - virtual
        for kind, _, offset, virtual, _, length in headers
        if kind == _LOAD and virtual <= address < virtual + length
    )

    def text(value: int) -> str:
        end = content.find(b"\0", strings + value)
        if end < 0:
            raise ValueError("the file ends in a name")
        return content[strings + value : end].decode()

    wanted = {tag: [text(value) for found, value in entries if found == tag] for tag in (_NEEDED, _RPATH, _RUNPATH)}
    folders = wanted[_RUNPATH] or wanted[_RPATH]
    return Links(tuple(wanted[_NEEDED]), tuple(folder for each in folders for folder in each.split(":")))


def _entries(content: mmap.mmap, offset: int, length: int) -> Iterator[tuple[int, int]]:
    for one in range(min(length // 16, _MOST)):
        tag, value = struct.unpack_from("<QQ", content, offset + 16 * one)
        if tag == 0:
            return
        yield tag, value
