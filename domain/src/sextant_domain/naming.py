"""Names in a sentence."""

from collections.abc import Sequence


def few(names: Sequence[object], most: int = 3, *, between: str = ", ") -> str:
    """The first of them, and how many there are besides: 'web, mail, dns and 3 more'."""
    more = len(names) - most
    return between.join(map(str, names[:most])) + (f" and {more} more" if more > 0 else "")
