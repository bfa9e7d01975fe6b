"""What supervised processes of this package say: JSON lines on stderr, as everywhere."""

import json
import sys
from datetime import UTC, datetime


def log(event: str, **fields: object) -> None:
    """One line."""
    print(json.dumps({"at": datetime.now(UTC).isoformat(), "event": event, **fields}), file=sys.stderr, flush=True)
