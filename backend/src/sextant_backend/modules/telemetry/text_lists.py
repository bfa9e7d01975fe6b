"""Lists of texts as parameters of type `text[]`: packed in one go, where the driver would look at each text.

The format is that of `array_recv` in PostgreSQL's source: dimensions, whether there are NULLs, the type of the
elements, and of each dimension its length and first number; then each element as its length and its bytes.
"""

from collections.abc import Iterable
from struct import Struct

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

_TEXT, _TEXTS = 25, 1009
"""Of PostgreSQL's types."""
_head = Struct(">5i").pack
_EMPTY = Struct(">3i").pack(0, 0, _TEXT)
_length = Struct(">i").pack


class TextList:
    """Texts in UTF-8, none of them NULL; for placeholders `%b`."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        self.texts = tuple(texts)

    @classmethod
    def of(cls, texts: Iterable[str]) -> "TextList":
        """Of texts that are not encoded yet."""
        return cls(text.encode() for text in texts)


class _TextListDumper(Dumper):
    format = Format.BINARY
    oid = _TEXTS

    def dump(self, obj: TextList) -> bytes:
        if not obj.texts:
            return _EMPTY
        parts = [_head(1, 0, _TEXT, len(obj.texts), 1)]
        for text in obj.texts:
            parts += (_length(len(text)), text)
        return b"".join(parts)


psycopg.adapters.register_dumper(TextList, _TextListDumper)
