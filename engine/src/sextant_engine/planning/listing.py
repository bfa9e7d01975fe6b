"""Names in a sentence, of hosts or of others."""

MAX_NAMED = 3


def listed(names: list[str], noun: str = "host") -> str:
    """'a, b, c and 2 more hosts'."""
    rest = len(names) - MAX_NAMED
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:MAX_NAMED])} and {rest} more {noun}{'s' * (rest > 1)}"
