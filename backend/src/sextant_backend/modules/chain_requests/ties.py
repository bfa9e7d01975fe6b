"""Tied NFs are of one type: they are one element."""

from collections.abc import Iterable, Iterator, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.modules.chains import repository

Known = dict[str, tuple[str, str]]
"""By tie: an NF of it, and its type."""


def known(session: Session, specs: Sequence[ChainSpec]) -> Known:
    """Of the ties that these chains name, those that living chains name as well."""
    return _of(repository.tied_specs(session, {tie for spec in specs for tie in spec.ties.values()}))


def unlike(spec: ChainSpec, known: Known) -> Iterator[FieldError]:
    """NFs of the chain whose tie is of NFs of another type."""
    for index, nf in enumerate(spec.nfs):
        other, kind = known.get(nf.tied or "", ("", nf.type))
        if kind != nf.type:
            message = f"'{nf.tied}' ties {other}, which is a {kind}, and this is a {nf.type}; tied NFs are of one type"
            yield FieldError(field=f"nfs.{index}.tied", message=message)


def unlike_among(specs: Sequence[ChainSpec]) -> Iterator[FieldError]:
    """The same of chains that come together."""
    seen: Known = {}
    for position, spec in enumerate(specs):
        yield from (
            error.model_copy(update={"field": f"chains.{position}.{error.field}"}) for error in unlike(spec, seen)
        )
        seen = _of([spec]) | seen


def _of(specs: Iterable[ChainSpec]) -> Known:
    found: Known = {}
    for spec in specs:
        for position, nf in enumerate(spec.nfs):
            if nf.tied is not None:
                found.setdefault(nf.tied, (spec.nf_id(position), nf.type))
    return found
