"""The text of the fleet's metrics: to the letter what Prometheus' own library writes of the same series."""

from collections.abc import Iterator

from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from sextant_backend.modules.metrics import exposition
from sextant_backend.modules.metrics.frame import Distribution, Family, Found, Group

NONE = Family("sextant_none", "1", (), "Without labels", Group.FLEET)
PLAIN = Family("sextant_plain", "1", ("nf", "chain", "host"), 'A "gauge" of \\ two\nlines', Group.NF)
COUNTED = Family("sextant_counted_total", "1", ("kind",), "A counter", Group.FLEET, "counter")
LONG = Family("sextant_long_seconds", "s", ("kind",), "A histogram", Group.FLEET, "histogram")
BUCKETS = Distribution((("0.5", 1.0), ("+Inf", 3.0)), 7.5)
LABELS = st.text(st.sampled_from('ab{}=,"\\\n é0'), max_size=5)
VALUES = st.one_of(st.floats(), st.integers(-3, 10**9).map(float), st.sampled_from([999999.9, 1e6, -1e6, 1e300]))


class Told(Collector):
    """The same series for the library."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics


@given(
    st.lists(st.tuples(st.tuples(LABELS, LABELS, LABELS), VALUES), min_size=1, max_size=5),
    st.lists(st.tuples(LABELS, VALUES), min_size=1, max_size=3),
    VALUES,
)
def test_it_is_what_the_library_would_write(
    plain: list[tuple[tuple[str, str, str], float]], counted: list[tuple[str, float]], alone: float
) -> None:
    found = Found()
    gauge = GaugeMetricFamily(PLAIN.name, PLAIN.meaning, labels=PLAIN.labels)
    counter = CounterMetricFamily(COUNTED.name, COUNTED.meaning, labels=COUNTED.labels)
    histogram = HistogramMetricFamily(LONG.name, LONG.meaning, labels=LONG.labels)
    for labels, value in plain:
        found.add(PLAIN, value, *labels)
        gauge.add_metric(labels, value)
    for label, value in counted:
        found.add(COUNTED, value, label)
        counter.add_metric([label], value)
    found.add(NONE, alone)
    found.add_distribution(LONG, BUCKETS, "a")
    histogram.add_metric(["a"], list(BUCKETS.buckets), BUCKETS.total)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Told([gauge, counter, GaugeMetricFamily(NONE.name, NONE.meaning, value=alone), histogram]))
    assert exposition.text(found).decode() == generate_latest(registry).decode()


def test_a_family_without_a_series_is_not_there() -> None:
    found = Found()
    assert found.of(PLAIN) == []
    found.add(NONE, None)
    assert exposition.text(found) == b""


def test_who_takes_no_gzip_is_given_the_same_text(client: TestClient) -> None:
    zipped, plain = (
        client.get("/api/v1/metrics", headers={"Accept-Encoding": coding}) for coding in ("gzip", "identity")
    )
    assert (zipped.headers["content-encoding"], plain.headers.get("content-encoding")) == ("gzip", None)
    assert zipped.text == plain.text
