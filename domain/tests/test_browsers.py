"""User-Agent strings as browsers send them, and what they are called."""

import pytest
from sextant_domain.console.browsers import in_words

_KIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
_MAC = "Macintosh; Intel Mac OS X 10_15_7"


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_KIT} Chrome/140.0.0.0 Safari/537.36", "Chrome on Windows"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_KIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge on Windows",
        ),
        (
            f"Mozilla/5.0 ({_MAC}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
            "Safari on macOS",
        ),
        (f"Mozilla/5.0 (Linux; Android 10; K) {_KIT} Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
            " CriOS/140.0 Mobile/15E148 Safari/604.1",
            "Chrome on iOS",
        ),
        (f"Mozilla/5.0 (X11; Linux x86_64) {_KIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0", "Opera on Linux"),
        ("curl/8.14.1", "curl"),
        ("Opaque/1.0 (Linux)", "unknown browser on Linux"),
        ("<script>", "unknown browser"),
        ("", "unknown browser"),
    ],
)
def test_which_browser_on_which_system(user_agent: str, words: str) -> None:
    assert in_words(user_agent) == words
