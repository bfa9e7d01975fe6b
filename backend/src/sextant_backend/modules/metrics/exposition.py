"""Families as Prometheus' text: written and escaped by its own library."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from sextant_backend.modules.metrics.frame import Found

_PLAIN = {"gauge": GaugeMetricFamily, "counter": CounterMetricFamily}


class _Collected(Collector):
    def __init__(self, found: Found) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        """Family by family; one without a series is not there."""
        for family, values in self._found.values.items():
            metric = _PLAIN[family.kind](family.name, family.meaning, labels=family.labels)
            for labels, value in values:
                metric.add_metric(labels, value)
            yield metric
        for family, distributions in self._found.distributions.items():
            histogram = HistogramMetricFamily(family.name, family.meaning, labels=family.labels)
            for labels, one in distributions:
                histogram.add_metric(labels, list(one.buckets), one.total)
            yield histogram


def text(found: Found) -> bytes:
    """The text exposition format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(found))
    return generate_latest(registry)
