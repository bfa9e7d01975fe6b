"""Register, change and remove NF types: built-in programs with defaults of an operator's own."""

import json
from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NameTaken, NotFound, SextantError, ValidationFailed
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.references import named_in
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.nfs import repository, types
from sextant_backend.modules.nfs.catalogue import BY_NAME, CATALOGUE, MAX_CONFIG_ERRORS, config_errors
from sextant_backend.modules.nfs.catalogue.registered import difference, secrets
from sextant_backend.modules.nfs.models import NfTypeRow
from sextant_backend.modules.nfs.schemas import NfTypeChange, NfTypeNew

MAX_CONFIG_BYTES = 32_768
"""Of the JSON of what differs: every snapshot holds it. More belongs into a file."""
SHOWN_CHAINS = 20


class NfTypesFull(SextantError):
    """As many as may be."""

    kind, status, title = "nf-types-full", 409, "There is no room for another NF type"


class NfTypeInUse(SextantError):
    """A chain names it."""

    kind, status, title = "nf-type-in-use", 409, "Chains use this NF type"


class NfTypeBuiltIn(SextantError):
    """It is code, and no operator's to change."""

    kind, status, title = "nf-type-built-in", 409, "This NF type is built in"


def register(session: Session, asked: NfTypeNew, who: Principal) -> NfType:
    """Store a new type; raises ValidationFailed, NameTaken or NfTypesFull and stores nothing then.

    A name that was used before goes on counting versions where it stopped: what was measured of that NF stays its own.
    """
    implementation = BY_NAME.get(asked.implementation)
    if implementation is None:
        message = f"there is no built-in NF type '{asked.implementation}'; there are {', '.join(BY_NAME)}"
        raise ValidationFailed.of([FieldError(field="implementation", message=message)], "Nothing was stored.")
    config = _fitting(session, implementation, asked.config)
    repository.lock_registering(session)
    row = repository.type_row(session, asked.name, lock=True)
    if asked.name in BY_NAME or (row is not None and row.removed_at is None):
        raise NameTaken.of("NF type", asked.name, "change that type", f"sextant nf-types show {asked.name}")
    if repository.count_types(session) + len(CATALOGUE) >= types.MAX_NF_TYPES:
        raise NfTypesFull(
            f"There are {types.MAX_NF_TYPES} NF types, as many as may be. Nothing was stored.",
            next_actions=[NextAction(label="Remove some that no chain uses", command="sextant nf-types remove NAME")],
        )
    before = types.version_of(row) if row is not None else 0
    row = row or NfTypeRow(name=asked.name)
    row.implementation, row.removed_at = implementation.name, None
    row.created_at, row.created_by = db_now(session), who.username
    _write(row, implementation, asked, config, before + 1)
    session.add(row)
    _note(session, row, who, "nf_type.register", None)
    return types.of_row(row)


def update(session: Session, row: NfTypeRow, asked: NfTypeChange, who: Principal) -> NfType:
    """Make the (locked) type as asked; another configuration is another version. What runs keeps the one it has.

    Raises ValidationFailed and changes nothing then.
    """
    implementation = BY_NAME[row.implementation]
    before, described = types.of_row(row), _described(row)
    config = _fitting(session, implementation, asked.config)
    _write(row, implementation, asked, config, before.version + (config != row.config))
    if types.of_row(row) != before:
        _note(session, row, who, "nf_type.update", described)
    return types.of_row(row)


def remove(session: Session, row: NfTypeRow, who: Principal) -> None:
    """Take the (locked) type out of the catalogue; raises NfTypeInUse with the chains that name it."""
    count, chains = repository.chains_naming(session, row.name, SHOWN_CHAINS)
    if count:
        more = f" and {count - len(chains)} more" if count > len(chains) else ""
        raise NfTypeInUse(
            f"{row.name} is named by {', '.join(chains)}{more}. Nothing was removed.",
            difference={"used_by": {"chains": list(chains), "count": count}},
            next_actions=[
                NextAction(label="Delete these chains first", command=f"sextant chains delete {chains[0]} --wait")
            ],
        )
    row.version, row.implementation_version = types.version_of(row), BY_NAME[row.implementation].version
    row.removed_at = db_now(session)
    artefacts.set_type_files(session, row.name, ())
    detail = {"version": row.version}
    audit.record(session, who.username, "nf_type.remove", f"nf-type/{row.name}", detail, before=_described(row))


def found(session: Session, name: str) -> NfTypeRow:
    """The locked row of a registered type; raises NotFound, or NfTypeBuiltIn."""
    row = repository.type_row(session, name, lock=True)
    if row is not None and row.removed_at is None and row.implementation in BY_NAME:
        return row
    if name in BY_NAME:
        command = f"sextant nf-types register my-{name} --implementation {name}"
        raise NfTypeBuiltIn(
            f"{name} is built in and cannot be changed or removed. Nothing was changed.",
            next_actions=[NextAction(label="Register a type of your own with its program", command=command)],
        )
    raise NotFound(f"There is no NF type {name}; `sextant nf-types list` shows those that are.")


def _fitting(session: Session, implementation: NfType, config: dict[str, Any]) -> dict[str, Any]:
    """What differs from the implementation's defaults; raises ValidationFailed. Files that it names stay until the end
    of the transaction."""
    wrong = list(config_errors(implementation, config, "config")[:MAX_CONFIG_ERRORS])
    own = difference(implementation, config)
    wrong = wrong or [*secrets(implementation, own, "config"), *_too_long(own)]
    wrong = wrong or list(artefacts.config_violations(session, named_in(implementation, own, "config")))
    if wrong:
        raise ValidationFailed.of(wrong, "Nothing was stored.")
    return own


def _too_long(config: dict[str, Any]) -> Iterator[FieldError]:
    size = len(json.dumps(config, separators=(",", ":")).encode())
    if size > MAX_CONFIG_BYTES:
        message = f"has {size} bytes as JSON, and may have {MAX_CONFIG_BYTES}; put long lists into a file by its digest"
        yield FieldError(field="config", message=message)


def _write(row: NfTypeRow, implementation: NfType, asked: NfTypeChange, config: dict[str, Any], version: int) -> None:
    row.version, row.implementation_version = version, implementation.version
    row.short_name = asked.short_name or row.name[:8].rstrip("-")
    row.summary = asked.summary or implementation.summary
    row.config = config


def _described(row: NfTypeRow) -> dict[str, object]:
    """As the audit log keeps it; secrets of its configuration were refused."""
    return {
        "implementation": row.implementation,
        "short_name": row.short_name,
        "summary": row.summary,
        "config": row.config,
    }


def _note(session: Session, row: NfTypeRow, who: Principal, action: str, before: dict[str, object] | None) -> None:
    """Its files are used by it, and by every chain that names it: a chain may be planned with the type as it is from
    now on, and needs those of the version that it runs until it is deleted."""
    session.flush()
    nf_type = types.of_row(row)
    files = [named.digest for named in named_in(nf_type, nf_type.default_config(), "config")]
    artefacts.set_type_files(session, row.name, files)
    detail = {"implementation": row.implementation, "version": nf_type.version, "settings": ", ".join(row.config)}
    after = _described(row)
    audit.record(session, who.username, action, f"nf-type/{row.name}", detail, before=before, after=after)
