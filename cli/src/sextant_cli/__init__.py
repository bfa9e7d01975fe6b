"""The `sextant` command: an ordinary client of the console's API.

`contents` is the table of contents, `commands/` one module a noun; the rest is what they share.
"""
