"""Which stock program of OpenNetVM stands for an NF type, as far as the agent's tests do not say so."""

import json
from typing import Any

import pytest
from sextant_domain.opennetvm.programs import NoStockProgram, stock_program


def table(*rules: tuple[str, str]) -> list[tuple[str, int]]:
    config: dict[str, Any] = {"rules": [{"action": action, "src": src} for action, src in rules]}
    program = stock_program("firewall", config | {"default_action": "deny"}, last=False)
    return [
        (f"{rule['ip']}/{rule['depth']}", rule["action"]) for rule in json.loads(program.files["rules.json"]).values()
    ]


def test_of_several_wider_rules_before_it_the_first_decides() -> None:
    """10.1.2.3 meets 10.1/16 first, which allows; in the table its own /32 counts, and must allow, too."""
    rules = (("allow", "10.1.0.0/16"), ("deny", "10.0.0.0/8"), ("allow", "10.1.2.3/32"))
    assert table(*rules) == [("10.1.0.0/16", 0), ("10.0.0.0/8", 1), ("10.1.2.3/32", 0)]
    with pytest.raises(NoStockProgram) as refused:
        table(*rules[:2], ("deny", "10.1.2.3/32"))
    assert refused.value.at == "rules.2"
    assert refused.value.message.startswith("10.1.0.0/16 before it holds all of 10.1.2.3/32")


def test_a_refusal_says_the_property_and_reads_with_it() -> None:
    with pytest.raises(NoStockProgram, match=r"^loops: must be 0") as refused:
        stock_program("simple-forward", {"loops": 1}, last=True)
    assert refused.value.at == "loops"
    with pytest.raises(NoStockProgram, match=r"^OpenNetVM has no NF like 'vpn'") as refused:
        stock_program("vpn", {}, last=True)
    assert refused.value.at == ""


@pytest.mark.parametrize("config", [{"rules": [{}] * 1025}, {"synthetic_rules": 10**9, "default_action": "deny"}])
def test_too_many_rules_are_refused_before_they_are_looked_at(config: dict[str, Any]) -> None:
    with pytest.raises(NoStockProgram, match=r"102[0-9] rules, .* holds 1024"):
        stock_program("firewall", config, last=False)
