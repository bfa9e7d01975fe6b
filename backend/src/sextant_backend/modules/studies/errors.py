"""Why a study is not taken, not shown or not changed."""

from sextant_backend.kit.errors import SextantError


class NoResult(SextantError):
    """The study is not done, or ended without a result."""

    kind, status, title = "study-without-result", 409, "The study has no result"


class StudyActionNotAllowed(SextantError):
    """The study is not in a state for that."""

    kind, status, title = "action-not-allowed", 409, "The study does not allow this now"


class TooManyStudies(SextantError):
    """As many are kept as may be."""

    kind, status, title = "too-many-studies", 409, "There is no room for a further study"
