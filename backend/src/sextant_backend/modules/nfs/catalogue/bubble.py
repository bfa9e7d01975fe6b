"""bubble."""

from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import closed_object, whole_number

_LARGEST = 256 * 2**20

TYPE = NfType(
    name="bubble",
    version=1,
    short_name="bubble",
    summary="Walks over memory for every packet, to press on caches or bandwidth",
    library="own code",
    config_schema=closed_object(
        working_set_bytes={
            **whole_number(
                2**20, 4096, _LARGEST, "Memory walked over, a multiple of 64; taken from the runner's memory"
            ),
            "multipleOf": 64,
        },
        lines_per_packet=whole_number(16, 0, 4096, "Cache lines of 64 bytes touched for every packet"),
        pattern={
            "enum": ["stride", "random", "chase"],
            "default": "random",
            "description": "stride: lines a set distance apart; random: independent ones; chase: each names the next",
        },
        stride_bytes={
            **whole_number(
                64, 64, _LARGEST, "Distance of the lines of `stride`, a multiple of 64, at most the working set"
            ),
            "multipleOf": 64,
        },
        write_share={
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "default": 0,
            "description": "Share of the touched lines that are written; the others are read",
        },
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """What the runner would refuse, said where the chain is written."""
    whole_config = {**TYPE.default_config(), **config}
    stride, walked = whole_config["stride_bytes"], whole_config["working_set_bytes"]
    if stride > walked:
        yield FieldError(field=f"{at}.stride_bytes", message=f"{stride} is above working_set_bytes, {walked}")
