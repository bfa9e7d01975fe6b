"""Secrets of a chain's NFs: from files or the environment, by options that its operator writes.

Not by the chain file: that may come from anywhere, and must not be a way to send a private key to a console.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.secret import is_reference

from sextant_cli.errors import CliError, Exit, error
from sextant_cli.named_nfs import chains_of_nf

MAX_BYTES = 4096
ENVIRONMENT = "env:"

Secrets = Annotated[
    list[str] | None,
    typer.Option(
        "--secret",
        metavar="NF.SETTING=FILE",
        help="A secret of an NF, as vpn.key=tunnel.key or vpn.key=env:TUNNEL_KEY; may be repeated.",
    ),
]


def with_secrets(specs: Sequence[ChainSpec], options: Sequence[str]) -> list[ChainSpec]:
    """The chains of one file with the secrets that the options name; raises CliError, which repeats none."""
    found = list(specs)
    for option in options:
        target, _, source = option.partition("=")
        name, _, setting = target.partition(".")
        if not source or not setting:
            raise _refused(f"'{target}': write NF.SETTING=FILE, as vpn.key=tunnel.key")
        try:
            meant = chains_of_nf(specs, name)
        except ValueError as cause:
            raise _refused(f"{target}: {cause}") from None
        value = read_source(target, source)
        found = [_with_secret(spec, name, setting, value) if spec.name in meant else spec for spec in found]
    return found


def _with_secret(spec: ChainSpec, name: str, setting: str, value: str) -> ChainSpec:
    nfs = [
        nf.model_copy(update={"config": {**nf.config, setting: value}}) if nf.name == name else nf for nf in spec.nfs
    ]
    return spec.model_copy(update={"nfs": tuple(nfs)})


def secrets_set(spec: ChainSpec) -> list[str]:
    """Settings of its NFs that the console keeps secret: `vpn.key`."""
    return [f"{nf.name}.{setting}" for nf in spec.nfs for setting, value in nf.config.items() if is_reference(value)]


def read_source(target: str, source: str) -> str:
    """What a file holds, or by `env:NAME` the environment; raises CliError, which repeats no secret."""
    if source.startswith(ENVIRONMENT):
        variable = source.removeprefix(ENVIRONMENT)
        found = os.environ.get(variable, "").strip()
        if not found:
            raise _refused(f"{target}: the environment has no {variable}")
        return found
    try:
        with Path(source).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        found = content.decode().strip()
    except OSError as cause:
        raise _refused(f"{target}: {source} cannot be read: {cause.strerror}") from None
    except UnicodeDecodeError:
        raise _refused(f"{target}: {source} is no text") from None
    if not found or len(content) > MAX_BYTES:
        raise _refused(f"{target}: {source} is empty, or longer than {MAX_BYTES} bytes")
    return found


def _refused(detail: str) -> CliError:
    return error("bad-option", "A secret cannot be read", detail, Exit.BAD_INPUT)
