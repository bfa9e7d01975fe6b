"""The NF types of the data planes (docs/contracts/runner.md, docs/contracts/srv6-nf.md), one file a type.

Every property of a schema has a default, so that an order names the whole configuration; every list and number has a
bound, so that no configuration outgrows the runner's tables.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue import (
    basic_monitor,
    bubble,
    dpi,
    firewall,
    load_balancer,
    nat,
    nft_firewall,
    nids,
    router,
    simple_forward,
    vpn,
)

CATALOGUE: tuple[NfType, ...] = (
    basic_monitor.TYPE,
    bubble.TYPE,
    dpi.TYPE,
    firewall.TYPE,
    load_balancer.TYPE,
    nat.TYPE,
    nft_firewall.TYPE,
    nids.TYPE,
    router.TYPE,
    simple_forward.TYPE,
    vpn.TYPE,
)
"""Sorted by name."""

BY_NAME = {nf_type.name: nf_type for nf_type in CATALOGUE}

_MORE_ERRORS: dict[str, Callable[[dict[str, Any], str], Iterator[FieldError]]] = {
    bubble.TYPE.name: bubble.more_errors,
    firewall.TYPE.name: firewall.more_errors,
    load_balancer.TYPE.name: load_balancer.more_errors,
    nat.TYPE.name: nat.more_errors,
    nft_firewall.TYPE.name: firewall.more_errors,
    nids.TYPE.name: nids.more_errors,
    router.TYPE.name: router.more_errors,
}
"""What a schema cannot say; asked of a configuration that its schema accepts."""

MAX_MESSAGE = 200
MAX_CONFIG_ERRORS = 20
"""Of one configuration, in an answer."""


def config_errors(nf_type: NfType, config: dict[str, Any], at: str) -> tuple[FieldError, ...]:
    """What is wrong with `config`, overrides of the type's defaults: by its schema, and by what a schema cannot say.
    Paths start with `at`."""
    errors = nf_type.config_errors(config, at)
    if not errors and nf_type.runs in _MORE_ERRORS:
        errors = tuple(_MORE_ERRORS[nf_type.runs]({**nf_type.default_config(), **config}, at))
    return tuple(FieldError(field=error.field, message=_short(error.message)) for error in errors)


def _short(message: str) -> str:
    """jsonschema repeats the value: of a list of thousands the beginning and what is wrong with it suffice."""
    half = MAX_MESSAGE // 2
    return message if len(message) <= MAX_MESSAGE else f"{message[:half]} ... {message[-half:]}"
