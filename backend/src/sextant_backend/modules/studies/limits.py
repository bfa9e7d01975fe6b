"""Times, counts and sizes of studies."""

MAX_ATTEMPTS = 2
"""Workers that may take a study up: one that two of them did not survive has failed."""

MAX_FIGURES = 1_000_000
"""Of a result, as its scenario says beforehand: about 20 MB of JSON."""

MAX_RESULT_BYTES = 64 * 2**20
"""Of a result's JSON, as it was written."""

MAX_STUDIES = 500
"""Kept at once; operators remove what nobody needs."""
