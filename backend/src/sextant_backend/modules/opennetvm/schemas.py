"""Bodies of these endpoints."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints
from sextant_domain.base import Frozen, Name
from sextant_domain.chains.traffic import Traffic

MAX_TEXT = 256 * 1024
MAX_FILES = 31

FileText = Annotated[str, StringConstraints(max_length=MAX_TEXT)]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ImportRequest(Frozen):
    """A group file, and what it leaves to other files or does not say."""

    format: Literal["opennetvm-group"] = "opennetvm-group"
    text: FileText
    files: dict[FileName, FileText] = Field(default_factory=dict, max_length=MAX_FILES)
    """What NFs of the group read, by name: `rules.json`."""
    name_prefix: Annotated[Name, StringConstraints(max_length=58)] | None = None
    """Chains are called `<prefix>-1`, `<prefix>-2`, a single one by it alone. None: as the file says, or `imported`."""
    traffic: Traffic | None = None
    """Of each chain; None: assumed."""
