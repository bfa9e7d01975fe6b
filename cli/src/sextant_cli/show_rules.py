"""What the rules of NFs in the kernel have decided, as the kernel counts it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sextant_domain.chains.chain import ChainSpec, NfSpec
from sextant_domain.console.views import NfView
from sextant_domain.hosts.telemetry import RuleCounts

from sextant_cli.figures import ago, size
from sextant_cli.output import Printer


def show_rules(out: Printer, chain: ChainSpec, nfs: Mapping[str, NfView]) -> None:
    """A row a rule; nothing of NFs whose rules are not counted. `nfs`: by their ids."""
    rows = list[Sequence[str]]()
    for position, nf in enumerate(chain.nfs):
        placed = nfs.get(chain.nf_id(position))
        found = placed.sample.rule_counts if placed is not None and placed.sample is not None else None
        if found is not None:
            rows.extend(_rows(chain.nf_id(position), nf, found))
    if rows:
        out.table(("NF", "RULE>", "DOES", "PACKETS>", "BYTES>", "SINCE"), rows, empty="")


def _rows(nf_id: str, nf: NfSpec, found: RuleCounts) -> Iterator[Sequence[str]]:
    """Of a configuration that was just changed, and is of another length, only the figures are shown."""
    rules: list[Mapping[str, Any]] = nf.config.get("rules", [])
    since = ago(found.since)
    for number, count in enumerate(found.rules):
        words = rule_words(rules[number]) if number < len(rules) else "-"
        yield nf_id, str(number + 1), words, str(count.packets), size(count.bytes), since
    if len(rules) > len(found.rules):
        yield nf_id, f"{len(found.rules) + 1}-{len(rules)}", "not reported one by one", "-", "-", since
    default = f"{nf.config.get('default_action', 'allow')} what no rule matches"
    yield nf_id, "-", default, str(found.default.packets), size(found.default.bytes), since


def rule_words(rule: Mapping[str, Any]) -> str:
    """'deny udp from 10.0.0.0/8 to port 53'."""
    words = [str(rule.get("action", "?")), str(rule.get("protocol", "all"))]
    if "src" in rule:
        words.append(f"from {rule['src']}")
    if "dst" in rule:
        words.append(f"to {rule['dst']}")
    if "dst_port" in rule:
        first, last = rule["dst_port"]
        words.append(f"to port {first}" if first == last else f"to ports {first}-{last}")
    return " ".join(words)
