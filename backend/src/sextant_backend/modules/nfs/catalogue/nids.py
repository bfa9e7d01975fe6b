"""nids."""

from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.nf import ArtefactKind, NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import SEED, choice, closed_object, count, file_by_digest

MAX_PATTERNS = 5000

TYPE = NfType(
    name="nids",
    version=1,
    short_name="nids",
    summary="Looks for patterns in the payload of UDP and TCP, alerts or drops",
    library="Hyperscan",
    config_schema=closed_object(
        patterns={
            "type": "array",
            "maxItems": MAX_PATTERNS,
            "default": [],
            "items": {"type": "string", "minLength": 1, "maxLength": 512},
            "description": "Regular expressions in Hyperscan's subset of PCRE; each must match at least one character",
        },
        patterns_file=file_by_digest("More patterns, one a line; lines that begin with # are comments"),
        synthetic_patterns=count(300, "Generated patterns, for a table of realistic size", MAX_PATTERNS),
        seed=SEED,
        action=choice("alert", "drop", description="What happens to a packet that matches: it is counted, or filtered"),
    ),
    artefacts=(
        ArtefactKind(
            name="patterns_file",
            description="Text, one regular expression of at most 512 bytes a line",
            max_bytes=4 * 2**20,
        ),
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """More patterns than are compiled together; the file's are counted by the runner."""
    whole = {**TYPE.default_config(), **config}
    given, generated = len(whole["patterns"]), whole["synthetic_patterns"]
    if given + generated > MAX_PATTERNS:
        message = f"{given} given and {generated} generated patterns are more than {MAX_PATTERNS} together"
        yield FieldError(field=f"{at}.synthetic_patterns", message=message)
