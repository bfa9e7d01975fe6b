"""What the contract's patterns allow, in words: who mistypes a name is not shown a regular expression."""

_ENDS = "a letter or digit first and last"

WORDS = {
    r"^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$": "a traceparent as W3C Trace Context has it, version 00",
    r"^[^=]+=.*$": "NAME=VALUE: zone=a",
    r"^([0-9a-f]{2})*$": "bytes as pairs of hexadecimal digits, in lower case",
    r"^https?://[\x21-\x7e]{1,1000}$": "https://HOST/PATH, without spaces; http:// in networks that are allowed",
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,187}[A-Za-z0-9])?$": "a mail address: noc@example.org",
    r"^[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?$": "a server's name or address, without its port",
    r"^[\x20-\x7e]{16,200}$": "16 to 200 ASCII characters",
    r"^[\x20-\x7e]{1,200}$": "1 to 200 ASCII characters",
    r"^[\x21-\x7e]{1,200}$": "1 to 200 ASCII characters without spaces",
    r"^[A-Za-z0-9][A-Za-z0-9._/@:-]{0,199}$": "a name as alerts show it: letters, digits and . _ / @ : -",
    r"^[A-Za-z0-9*][A-Za-z0-9._/@:*-]{0,199}$": "a name, in which * stands for any text: web-*",
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$": f"lower-case letters, digits and hyphens, 63 at most; {_ENDS}",
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$": (
        "the chain's name, a dot and the NF's name: edge.firewall"
    ),
    r"^[a-z0-9*-]{1,63}$": "lower-case letters, digits and hyphens, 63 at most; with a count, one * for the number",
    r"^[a-z0-9][a-z0-9-]{0,62}$": "lower-case letters, digits and hyphens, 63 at most; a letter or digit first",
    r"^[a-z0-9]([a-z0-9._@-]{0,61}[a-z0-9])?$": (
        f"lower-case letters, digits, dots, hyphens, underscores and @, 63 at most; {_ENDS}"
    ),
    r"^[a-z][a-z0-9_]{0,31}$": "lower-case letters, digits and underscores, 32 at most; a letter first",
    r"^[a-z][a-z0-9_]{0,62}$": "lower-case letters, digits and underscores, 63 at most; a letter first",
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$": (
        "letters, digits, dots, hyphens and underscores, 120 at most; a letter or digit first"
    ),
    r"^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,6}[A-Za-z0-9])?$": (
        f"letters, digits, spaces, dots, hyphens and underscores, 8 at most; {_ENDS}"
    ),
    r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$": (
        "letters, digits, spaces, dots, hyphens and underscores, 63 at most; a letter or digit first"
    ),
    r"^sha256:[0-9a-f]{64}$": "sha256: and 64 hexadecimal digits in lower case",
    r"^https://[A-Za-z0-9.\-\[\]:]{1,250}$": "https:// and a name or address, with a port where it needs one",
    r"^sx[ef]_[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$": "a token as it was shown when it was made, sxe_...",
    r"^[^\x00-\x1f\x7f]*$": "one line without control characters",
    r"^[\x21-\x7e]+$": "ASCII without spaces",
}


def in_words(pattern: str) -> str:
    """What a text must be; the pattern itself where nobody wrote words for it."""
    return WORDS.get(pattern, f"a text that matches {pattern}")
