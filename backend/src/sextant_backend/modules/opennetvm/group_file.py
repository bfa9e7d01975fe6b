"""What a group file says of each NF, as `examples/run_group.py` and `examples/go.sh` of OpenNetVM v21.10 read it; pure.

    {"globals": [{"TTL": 10}, {"directory": "logs"}], "PROGRAM": [{"parameters": "..."}, ...], ...}

Parameters are `SERVICE NF-ARGUMENTS` or `DPDK-ARGUMENTS -- ONVM-ARGUMENTS -- NF-ARGUMENTS`.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, getopt
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sextant_domain.base import NfId
from sextant_domain.opennetvm.programs import MAX_SERVICE
from sextant_domain.opennetvm.views import ImportNote
from sextant_domain.problem import FieldError

from sextant_backend.modules.opennetvm.nf_arguments import BadArguments, Meaning, meaning

GLOBALS = "globals"
MARK = "sextant"
"""In `globals`: NF ids by service, null for a way out. `run_group.py` passes over what it does not know."""
MAX_NFS = 127
"""Instances of one manager."""
MAX_ERRORS = 20
_SERVICE = re.compile(r"[0-9]{1,5}")
_NF_ID: TypeAdapter[str] = TypeAdapter(NfId)


class BadGroup(Exception):
    """The file describes no chains: every place in it that is wrong, `text.firewall.0.parameters`."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        super().__init__(errors[0].message)
        self.errors = tuple(errors[:MAX_ERRORS])


@dataclass(frozen=True, slots=True)
class GroupNf:
    """One NF of the file."""

    at: str
    """`firewall.0.parameters`"""
    program: str
    service: int
    meaning: Meaning


@dataclass(slots=True)
class GroupFile:
    """What was read."""

    nfs: list[GroupNf] = field(default_factory=list)
    marks: dict[int, str | None] = field(default_factory=dict)
    notes: list[ImportNote] = field(default_factory=list)


def read_group(text: str, files: Mapping[str, str]) -> GroupFile:
    """`files`: what NFs of the group read, by name. Raises BadGroup."""
    group = GroupFile()
    errors: list[FieldError] = []
    for at, item in _items(_parsed(text)):
        try:
            if at.startswith(f"{GLOBALS}."):
                _take_global(group, at, item)
            else:
                _take_nf(group, at, item, files)
        except BadArguments as bad:
            errors.append(refusal(at, str(bad)))
    if errors:
        raise BadGroup(errors)
    if not group.nfs:
        raise BadGroup([refusal("", 'names no NF; write {"simple_forward": [{"parameters": "1 -d 2"}], ...}')])
    return group


def refusal(at: str, message: str) -> FieldError:
    """Of one place in the file."""
    return FieldError(field=f"text.{at}" if at else "text", message=message)


def _parsed(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text, object_pairs_hook=_without_repetition)
        json.dumps(read, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:  # it could be neither stored nor shown
        raise BadGroup([refusal("", "has half a character: a \\u escape of d800 to dfff by itself")]) from error
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise BadGroup([refusal("", message)]) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or brackets as deep
        raise BadGroup([refusal("", "is not JSON of a group file: numbers or brackets without end")]) from error
    if not isinstance(read, dict):
        raise BadGroup([refusal("", "is not a group file: an object with a list for each program is expected")])
    return read


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON readers, run_group.py's too, keep the last of two and say nothing."""
    read: dict[str, Any] = {}
    for name, value in pairs:
        if name in read:
            raise BadGroup([refusal("", f"has '{name[:100]}' twice in one object, of which OpenNetVM reads the last")])
        read[name] = value
    return read


def _items(read: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Place and entry, of globals first."""
    for name, entries in sorted(read.items(), key=lambda item: item[0] != GLOBALS):
        if not isinstance(entries, list):
            raise BadGroup([refusal(name[:100], "is not a list")])
        if len(entries) > MAX_NFS:
            raise BadGroup([refusal(name[:100], f"has {len(entries)} entries: a manager has at most {MAX_NFS} NFs")])
        for number, entry in enumerate(entries):
            yield f"{name[:100]}.{number}", entry


def _take_global(group: GroupFile, at: str, item: Any) -> None:
    if not isinstance(item, dict):
        raise BadArguments('is no object; write {"directory": "logs"}')
    for key, value in item.items():
        if key == MARK:
            group.marks |= _marks(value)
        elif key == "TTL":
            group.notes.append(ImportNote(at=at, message="TTL: chains run until somebody deletes them"))
        else:
            group.notes.append(ImportNote(at=at, message=f"{key[:100]}: logs are the agent's to keep"))


def _marks(given: Any) -> dict[int, str | None]:
    if not isinstance(given, dict) or len(given) > MAX_SERVICE:
        raise BadArguments(f"{MARK} is no object of at most {MAX_SERVICE} services")
    return {_service(service): None if name is None else _nf_id(name) for service, name in given.items()}


def _nf_id(name: Any) -> str:
    try:
        return _NF_ID.validate_python(name, strict=True)
    except ValidationError as error:
        raise BadArguments(f"{MARK}: an NF's id is `<chain>.<nf>`, or null for a way out") from error


def _take_nf(group: GroupFile, at: str, item: Any, files: Mapping[str, str]) -> None:
    parameters = item.get("parameters") if isinstance(item, dict) else None
    if not isinstance(parameters, str):
        raise BadArguments('has no text `parameters`; write {"parameters": "1 -d 2"}')
    if len(group.nfs) >= MAX_NFS:
        raise BadGroup([refusal(at, f"is one more than {MAX_NFS} NFs, which a manager has at most")])
    program, place = at.rsplit(".", 1)[0], f"{at}.parameters"
    try:
        words = shlex.split(parameters)
    except ValueError as error:
        raise BadArguments(f"parameters: {error}") from error
    service, own = _divided(group, place, words)
    read = meaning(program, own, files)
    group.nfs.append(GroupNf(at=place, program=program, service=service, meaning=read))
    group.notes += (ImportNote(at=place, message=note) for note in read.notes)


def _divided(group: GroupFile, at: str, words: list[str]) -> tuple[int, list[str]]:
    """Service id, and the NF's own arguments."""
    if words[:1] == ["-F"]:
        raise BadArguments("-F: files of arguments are not read; write the arguments themselves")
    if "--" not in words:
        if not words:
            raise BadArguments("parameters are empty: they begin with a service id")
        return _service(words[0]), words[1:]
    first = words.index("--")
    if "--" not in words[first + 1 :]:
        raise BadArguments("has one `--`: OpenNetVM's go.sh takes none or two")
    second = words.index("--", first + 1)
    if first:
        group.notes.append(ImportNote(at=at, message=f"{shlex.join(words[:first])[:200]}: planning chooses cores"))
    return _of_onvm(group, at, words[first + 1 : second]), words[second + 1 :]


def _of_onvm(group: GroupFile, at: str, words: list[str]) -> int:
    try:
        options, rest = getopt(words, "n:r:t:l:ms")
    except GetoptError as error:
        raise BadArguments(f"{error.msg} (of OpenNetVM's own arguments)") from error
    if rest:
        raise BadArguments(f"'{rest[0][:100]}' is no option of OpenNetVM")
    given = dict(options)
    if "-r" not in given:
        raise BadArguments("names no service: -r is missing")
    for option, what in (("-t", "seconds"), ("-l", "million packets")):
        if option in given:
            message = f"{option} {given[option][:20]}: NFs do not end by themselves after so many {what}"
            group.notes.append(ImportNote(at=at, message=message))
    return _service(given["-r"])


def _service(word: str) -> int:
    if not _SERVICE.fullmatch(word) or not 1 <= int(word) <= MAX_SERVICE:
        raise BadArguments(f"'{word[:100]}' is no service id: 1 to {MAX_SERVICE}")
    return int(word)
