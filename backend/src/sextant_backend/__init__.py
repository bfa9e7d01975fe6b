"""Sextant's API and services."""

import sys

# redis-py loads OpenTelemetry's metrics wherever they are installed, for what it measures of itself if it is asked to:
# 0.06 s and 3 MiB of every start. None is the import system's word for what is not to be had; `tracing.start` takes it
# back.
sys.modules.setdefault("opentelemetry.sdk.metrics", None)  # type: ignore[arg-type]
