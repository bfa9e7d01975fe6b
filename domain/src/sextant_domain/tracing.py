"""Traces: what a request led to, across processes, for an OpenTelemetry collector. Off unless a process is told one.

Shared by the console, workers and agents. While it is off nothing of OpenTelemetry is imported and a span costs a
function call. Spans are few and ours: their attributes are listed where they are made, and never hold what somebody
sent, such as a query, a body or an error's text. The provider is not OpenTelemetry's global one, since libraries that
find that begin to write down what they see.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import Span, SpanContext

HEADER = "traceparent"
TRACEPARENT = r"^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$"
"""W3C Trace Context, version 00."""
_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-0[01]")
"""With numbers that are none left out."""
MOST_TEXT = 300
"""Characters of an attribute."""
SEND_LIMIT_S = 5.0
_HIDDEN = "opentelemetry.sdk.metrics"
"""From libraries that would load it at every start (`sextant_backend`); the exporter measures itself with it."""

Kind = Literal["internal", "server", "client", "consumer"]
_provider: "TracerProvider | None" = None
_sender: "BatchSpanProcessor | None" = None


class OpenSpan:
    """A span that is open; of none where traces are off."""

    def __init__(self, span: "Span | None" = None) -> None:
        self._span = span

    def name(self, name: str) -> None:
        """What is known of it only later."""
        if self._span is not None:
            self._span.update_name(name[:MOST_TEXT])

    def note(self, attributes: Mapping[str, str | int]) -> None:
        """Attributes, by names of OpenTelemetry's conventions or `sextant.*`."""
        if self._span is not None:
            for name, value in attributes.items():
                self._span.set_attribute(name, value[:MOST_TEXT] if isinstance(value, str) else value)

    def failed(self, kind: str) -> None:
        """It did not do what it is for; `kind` is a word of ours, such as the name of an error's class."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.set_status(StatusCode.ERROR)
            self._span.set_attribute("error.type", kind)


_NOTHING = OpenSpan()


def start(process: str, version: str, url: str | None, share: float = 1.0) -> None:
    """From now on this process sends spans to `url` (OTLP over HTTP), of this share of all traces; nothing where there
    is no URL. It begins a thread, so never before a fork."""
    global _provider, _sender  # noqa: PLW0603 - of the process
    if url is None or _provider is not None:
        return
    if sys.modules.get(_HIDDEN, sys) is None:
        del sys.modules[_HIDDEN]
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

    resource = Resource({"service.name": f"sextant-{process}", "service.version": version, "process.pid": os.getpid()})
    _provider = TracerProvider(resource=resource, sampler=TraceIdRatioBased(share))
    _sender = BatchSpanProcessor(OTLPSpanExporter(endpoint=url, timeout=SEND_LIMIT_S))
    _provider.add_span_processor(_sender)


def stop() -> None:
    """Send what waits, and be off again."""
    global _provider, _sender  # noqa: PLW0603 - of the process
    if _provider is not None:
        _provider.shutdown()
        _provider = _sender = None


def is_on() -> bool:
    """Whether spans are made."""
    return _provider is not None


def span(name: str, kind: Kind = "internal", parent: str | None = None) -> AbstractContextManager[OpenSpan]:
    """`with tracing.span("plan", "consumer", parent=row.traceparent) as opened:` is a span of what the block does.

    `parent` is a traceparent from elsewhere; what is none, or no parent, means the span that is open here, and where
    none is, a trace of its own.
    """
    return nullcontext(_NOTHING) if _provider is None else _span(_provider, name, kind, parent)


@contextmanager
def _span(provider: "TracerProvider", name: str, kind: Kind, parent: str | None) -> Iterator[OpenSpan]:
    from opentelemetry.trace import SpanKind

    tracer = provider.get_tracer("sextant")
    begun = tracer.start_as_current_span(
        name[:MOST_TEXT],
        context=_context(parent),
        kind=SpanKind[kind.upper()],
        record_exception=False,
        set_status_on_exception=False,
    )
    with begun as current:
        opened = OpenSpan(current)
        try:
            yield opened
        except BaseException as error:
            opened.failed(type(error).__name__)
            raise


def _context(parent: str | None) -> "Context | None":
    found = None if parent is None else _TRACEPARENT.fullmatch(parent)
    if found is None:
        return None
    from opentelemetry.trace import NonRecordingSpan, set_span_in_context

    return set_span_in_context(NonRecordingSpan(_numbers(found, is_remote=True)))


def _numbers(found: re.Match[str], *, is_remote: bool) -> "SpanContext":
    from opentelemetry.trace import SpanContext, TraceFlags

    return SpanContext(int(found[1], 16), int(found[2], 16), is_remote=is_remote, trace_flags=TraceFlags(1))


class Reported(NamedTuple):
    """A span that another process made and cannot send: a browser's."""

    name: str
    traceparent: str
    """Its own numbers."""
    begun_at: datetime
    duration_s: float
    attributes: Mapping[str, str | int]
    failure: str | None
    """A word for how it failed."""


def report(made: Reported) -> None:
    """Send it as the first span of its trace, from service `sextant-browser`, if that trace is one of the share."""
    found = _TRACEPARENT.fullmatch(made.traceparent)
    if _provider is None or _sender is None or found is None:
        return
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanKind, Status, StatusCode

    numbers = _numbers(found, is_remote=False)
    from opentelemetry.sdk.trace.sampling import Decision

    sampled = _provider.sampler.should_sample(None, numbers.trace_id, made.name)
    if sampled.decision is not Decision.RECORD_AND_SAMPLE:
        return
    own = {"service.name": "sextant-browser", "service.version": str(_provider.resource.attributes["service.version"])}
    failure = {} if made.failure is None else {"error.type": made.failure}
    ended_at = made.begun_at + timedelta(seconds=made.duration_s)
    _sender.on_end(
        ReadableSpan(
            made.name[:MOST_TEXT],
            context=numbers,
            resource=Resource(own),
            attributes={**made.attributes, **failure},
            kind=SpanKind.CLIENT,
            status=Status(StatusCode.UNSET if made.failure is None else StatusCode.ERROR),
            start_time=_nanoseconds(made.begun_at),
            end_time=_nanoseconds(ended_at),
            instrumentation_scope=InstrumentationScope("sextant"),
        )
    )


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000


def current() -> str | None:
    """The span that is open here, as `traceparent` has it; None where none is, or traces are off."""
    if _provider is None:
        return None
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags & 1:02x}"
