"""Which version of the backend this is."""

from importlib.metadata import version

VERSION = version("sextant-backend")
