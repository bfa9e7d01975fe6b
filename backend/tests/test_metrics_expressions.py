"""Every expression of the alerting rules and dashboards, parsed and held to what a console shows.

A metric or label that there is not makes an expression that never finds anything: no alert, and an empty panel.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser as promql
import pytest
import yaml
from fastapi.testclient import TestClient
from metrics_world import METRICS, everything, read
from prometheus_client.parser import text_string_to_metric_families
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.modules.metrics.catalogue import PROCESS
from sextant_backend.modules.metrics.registry import FAMILIES
from sextant_domain.hosts.host import HostInventory

DEPLOY = MIGRATIONS.parent / "deploy"
DASHBOARDS = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))
RULES: list[dict[str, Any]] = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus" / "rules.yml").read_text())["groups"]
    for rule in group["rules"]
]
SCRAPE = frozenset({"job", "instance"})
"""Labels that Prometheus adds to everything."""
KNOWN: dict[str, frozenset[str]] = {"up": SCRAPE}
for _family in (*PROCESS, *FAMILIES):
    if _family.kind == "histogram":
        KNOWN |= {f"{_family.name}_{part}": SCRAPE | {*_family.labels} for part in ("count", "sum")}
        KNOWN[f"{_family.name}_bucket"] = SCRAPE | {*_family.labels, "le"}
    else:
        KNOWN[_family.name] = SCRAPE | {*_family.labels}
COUNTERS = re.compile(r".*_(total|count|sum|bucket)")
OF_COUNTERS = {"rate", "irate", "increase"}
_MACROS = {"$__rate_interval": "5m", "$__interval": "1m", "$__range": "1h"}


@dataclass(frozen=True)
class Expression:
    """One, and where it stands."""

    where: str
    text: str

    def parsed(self) -> promql.Expr:
        """Grafana's macros are durations; its variables stand inside the quotes of matchers."""
        text = self.text
        for macro, duration in _MACROS.items():
            text = text.replace(macro, duration)
        return promql.parse(text)


def _panels(panels: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for panel in panels:
        yield panel
        yield from _panels(panel.get("panels", []))


def _of_dashboard(path: Path) -> Iterator[Expression]:
    board = json.loads(path.read_text())
    for panel in _panels(board["panels"]):
        for target in panel.get("targets", []):
            yield Expression(f"{path.name}: {panel['title']}", target["expr"])
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            asked = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
            assert asked, variable["query"]
            yield Expression(f"{path.name}: variable {variable['name']}", f"count by ({asked[2]}) ({asked[1]})")


EXPRESSIONS = [
    *(Expression(rule["alert"], rule["expr"]) for rule in RULES),
    *(one for path in DASHBOARDS for one in _of_dashboard(path)),
]


def _children(expression: promql.Expr) -> Iterator[promql.Expr]:
    match expression:
        case promql.BinaryExpr():
            yield from (expression.lhs, expression.rhs)
        case promql.AggregateExpr():
            yield expression.expr
            if expression.param is not None:
                yield expression.param
        case promql.Call():
            yield from expression.args
        case promql.MatrixSelector():
            yield expression.vector_selector
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            yield expression.expr


def _selectors(expression: promql.Expr) -> Iterator[promql.VectorSelector]:
    if isinstance(expression, promql.VectorSelector):
        yield expression
    for child in _children(expression):
        yield from _selectors(child)


def _everywhere(expression: promql.Expr) -> Iterator[promql.Expr]:
    yield expression
    for child in _children(expression):
        yield from _everywhere(child)


def _labels(expression: promql.Expr) -> frozenset[str]:
    """All that its selectors may have."""
    return frozenset().union(*(KNOWN.get(one.name or "", frozenset()) for one in _selectors(expression)))


def wrong(expression: promql.Expr) -> Iterator[str]:
    """What is the matter with it, if anything."""
    for one in _everywhere(expression):
        match one:
            case promql.VectorSelector():
                if one.name not in KNOWN:
                    yield f"there is no metric {one.name}"
                    continue
                for matcher in one.matchers.matchers:
                    if matcher.name not in KNOWN[one.name]:
                        yield f"{one.name} has no label {matcher.name}"
            case promql.AggregateExpr() if one.modifier is not None and "By" in str(one.modifier.type):
                yield from (f"nothing has {name}" for name in one.modifier.labels if name not in _labels(one.expr))
            case promql.BinaryExpr() if one.modifier is not None and one.modifier.matching is not None:
                for name in one.modifier.matching.labels:
                    if name not in _labels(one.lhs) or name not in _labels(one.rhs):
                        yield f"not both sides have {name}"
            case promql.Call() if one.func.name in OF_COUNTERS:
                for selector in _selectors(one):
                    if not COUNTERS.fullmatch(selector.name or ""):
                        yield f"{one.func.name} of {selector.name}, which is no counter"
            case _:
                pass


def test_there_are_expressions_at_all() -> None:
    """The walk finds selectors wherever they stand: else the tests below would hold nothing."""
    assert len(RULES) > 15 and len(EXPRESSIONS) > 40 and len(DASHBOARDS) == 2
    deep = promql.parse("topk(3, -max_over_time((sum by (a) (rate(m[5m])))[1h:1m])) / scalar(n)")
    assert [one.name for one in _selectors(deep)] == ["m", "n"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("sextant_hots", "there is no metric sextant_hots"),
        ('sextant_hosts{state="up"}', "sextant_hosts has no label state"),
        ("sum by (chain) (sextant_hosts)", "nothing has chain"),
        ("sextant_host_cordoned and on (chain) sextant_chain_running", "not both sides have chain"),
        ("rate(sextant_chain_offered_packets_per_second[5m])", "rate of sextant_chain_offered_packets_per_second"),
    ],
)
def test_a_mistake_is_found(text: str, fault: str) -> None:
    assert [one for one in wrong(promql.parse(text)) if one.startswith(fault)]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda one: one.where)
def test_an_expression_names_what_there_is(expression: Expression) -> None:
    assert list(wrong(expression.parsed())) == []


def _values(client: TestClient) -> Mapping[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for text in (client.get(METRICS).text, client.get("/metrics").text):
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                for label, value in sample.labels.items():
                    found.setdefault((sample.name, label), set()).add(value)
    return found


def test_values_of_labels_are_words_that_a_console_uses(client: TestClient, edge: HostInventory) -> None:
    """`state="failed"` would find nothing: operations are FAILED. Not looked at: statuses that no request of this test
    had, and states in which no operation has ended."""
    everything()
    read(client)
    known, rare = _values(client), {("state", "FAILED"), ("status_class", "5xx")}
    missing = [
        (expression.where, selector.name, str(matcher.name), matcher.value)
        for expression in EXPRESSIONS
        for selector in _selectors(expression.parsed())
        for matcher in selector.matchers.matchers
        if matcher.name not in SCRAPE and "$" not in matcher.value and (matcher.name, matcher.value) not in rare
        for words in [known.get((selector.name or "", matcher.name), set())]
        if not any(re.fullmatch(matcher.value, word) for word in words)
    ]
    assert missing == []


def test_every_rule_says_how_bad_it_is_and_what_to_do() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule["labels"]["severity"] in {"critical", "warning", "info", "{{ $labels.severity }}"}, rule["alert"]
        assert set(rule["annotations"]) == {"summary", "action"}
        told = " ".join((*rule["annotations"].values(), rule["labels"]["severity"]))
        assert set(re.findall(r"\$labels\.(\w+)", told)) <= _labels(promql.parse(rule["expr"])), rule["alert"]


@pytest.mark.parametrize("path", DASHBOARDS, ids=lambda path: path.name)
def test_a_dashboard_can_be_read(path: Path) -> None:
    """Every panel has a title, a unit and a data source that is chosen; ids are unique, places do not overlap."""
    board = json.loads(path.read_text())
    panels = list(_panels(board["panels"]))
    assert len({panel["id"] for panel in panels}) == len(panels) > 8
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        assert panel["title"]
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and at["x"] + at["w"] <= 24, panel["title"]
        taken |= cells
        if panel["type"] in {"row", "text"}:
            continue
        assert panel["description"] and panel["targets"], panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
    assert any(link["url"].startswith("${console}") for link in board["links"])
    assert board["schemaVersion"] >= 39 and board["uid"].startswith("sextant-") and board["id"] is None
