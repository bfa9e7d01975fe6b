"""Families as Prometheus' text. Of plain ones there are a hundred thousand series in a large fleet, which its own
library takes a second to write: they are written here, to the letter as it does. Histograms it writes itself."""

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from sextant_backend.modules.metrics.frame import Family, Found, Series

_PLAIN = 1e6
"""Below it Go, of whose way of writing numbers Prometheus is fond, writes them as Python does."""


class _Histograms(Collector):
    def __init__(self, found: Found) -> None:
        self._found = found

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Family by family."""
        for family, distributions in self._found.distributions.items():
            histogram = HistogramMetricFamily(family.name, family.meaning, labels=family.labels)
            for labels, one in distributions:
                histogram.add_metric(labels, list(one.buckets), one.total)
            yield histogram


def text(found: Found) -> bytes:
    """The text exposition format; a family without a series is not there."""
    plain = "".join(piece for family, series in found.values.items() if series for piece in _family(family, series))
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Histograms(found))
    return plain.encode() + generate_latest(registry)


def _family(family: Family, series: Iterable[Series]) -> Iterator[str]:
    name = family.name
    meaning = family.meaning.replace("\\", r"\\").replace("\n", r"\n")
    yield f"# HELP {name} {meaning}\n# TYPE {name} {family.kind}\n"
    if family.labels:
        yield "".join(
            [f"{name}{{{labels}}} {value if -_PLAIN < value < _PLAIN else _large(value)}\n" for labels, value in series]
        )
    else:
        yield "".join([f"{name} {value if -_PLAIN < value < _PLAIN else _large(value)}\n" for _, value in series])


def _large(value: float) -> str:
    return str(floatToGoString(value))  # type: ignore[no-untyped-call]
