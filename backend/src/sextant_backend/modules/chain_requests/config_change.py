"""What an NF takes up of its configuration while it runs, as the catalogue marks it: of built-in types only."""

from collections.abc import Iterator

from sextant_domain.chains.chain import ChainSpec, NfSettings
from sextant_domain.chains.nf import changeable_of
from sextant_domain.problem import FieldError

from sextant_backend.modules.chain_requests.schemas import ChainChange
from sextant_backend.modules.nfs.catalogue import BY_NAME, config_errors

MAX_ERRORS = 10
"""Of one NF."""


def whole(nf_type: str, settings: NfSettings) -> NfSettings:
    """With the type's defaults of what is left out."""
    return settings.model_copy(update={"config": {**_defaults(nf_type), **settings.config}})


def changed(nf_type: str | None, now: NfSettings, asked: NfSettings) -> NfSettings:
    """With what is asked for; null is the type's default. `nf_type` is None of an NF that the chain lacks."""
    defaults = _defaults(nf_type) if nf_type else {}
    given = {name: defaults.get(name) if value is None else value for name, value in asked.config.items()}
    update = asked.model_dump(exclude_unset=True, exclude={"config"})
    return now.model_copy(update={**update, "config": {**now.config, **given}})


def config_violations(spec: ChainSpec, change: ChainChange) -> Iterator[FieldError]:
    """What cannot change while the NF runs, and what its type refuses."""
    for nf in spec.nfs:
        asked = change.nfs.get(nf.name, NfSettings()).config
        at, changeable = f"nfs.{nf.name}.config", _defaults(nf.type)
        fixed = [name for name in asked if name not in changeable]
        for name in fixed[:MAX_ERRORS]:
            yield FieldError(field=f"{at}.{name}", message=_fixed(nf.type, list(changeable)))
        if asked and not fixed:
            given = {name: value for name, value in asked.items() if value is not None}
            yield from config_errors(BY_NAME[nf.type], {**nf.config, **given}, at)[:MAX_ERRORS]


def _defaults(nf_type: str) -> dict[str, object]:
    known = BY_NAME.get(nf_type)
    return changeable_of(nf_type, known.default_config()) if known else {}


def _fixed(nf_type: str, changeable: list[str]) -> str:
    can = f"only {', '.join(changeable)} can" if changeable else "nothing can"
    return f"of the configuration of a {nf_type} {can} change while it runs; delete the chain and submit it changed"
