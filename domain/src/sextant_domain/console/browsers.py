"""A browser's User-Agent in plain words: which browser, on which system.

Only names, no versions: browsers freeze or falsify most of the string, but these two parts tell an owner's sessions
apart. Each browser also names those that it wants to be taken for, so the order of the table decides.
"""

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
    ("python-", "Python"),
)
_SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
UNKNOWN = "unknown browser"


def in_words(user_agent: str) -> str:
    """`Firefox on Linux`; what is not recognised is left out, and not guessed."""
    browser = _first(_BROWSERS, user_agent)
    system = _first(_SYSTEMS, user_agent)
    if system is None:
        return browser or UNKNOWN
    return f"{browser or UNKNOWN} on {system}"


def _first(table: tuple[tuple[str, str], ...], user_agent: str) -> str | None:
    return next((name for mark, name in table if mark in user_agent), None)
