"""A cost in a training's file: written and read again, refused by what is wrong with it."""

import pytest
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_domain.studies.scenario import BadScenario, scenario_of
from sextant_domain.studies.school import SchoolScenario, scenario_toml, toml_of
from sextant_domain.studies.school_costs import GamesCost, SchoolCost, games_text

MODEL = InflationModel(
    kinds=("dpi", "nat"),
    core=((0.0, 0.5, 0.1 + 0.2), (0.2, 0.0, 1e-9), (0.2, 0.5, 0.5)),
    socket=((0.0,) * 3,) * 3,
    weight="presence",
    hand_off=HandOff(from_socket=100.0, from_remote=400.0, to_socket=50.0, to_remote=200.0),
    served="extended",
)
PLAIN = scenario_toml(12, 3, "short")
WHOLE = SchoolCost(host="edge-1", version=3, socket_cores=4, model=MODEL)


def trained_on(cost: SchoolCost) -> SchoolScenario:
    text = 'quoted "so", a \x7f, \n and 😀'
    return SchoolScenario(name="one", summary=text, kind="school", cores=12, steps=9000, cost=cost)


@pytest.mark.parametrize("cost", [WHOLE, SchoolCost(host="edge-1"), SchoolCost(model=MODEL)])
def test_a_file_is_read_as_it_was_written(cost: SchoolCost) -> None:
    assert scenario_of(toml_of(trained_on(cost))) == trained_on(cost)


def test_commands_name_a_host() -> None:
    found = scenario_of(scenario_toml(12, 3, "long", 9000, "edge-1"))
    assert isinstance(found, SchoolScenario) and found.cost == SchoolCost(host="edge-1")
    assert "[cost]" not in PLAIN


def test_which_cost_it_is_is_said_in_words() -> None:
    assert games_text(None) == "the ideal model"
    assert games_text(WHOLE.facts) == "the costs of edge-1, version 3"
    digest = f"sha256:{'ab' * 32}"
    assert games_text(GamesCost(host=None, version=None, digest=digest)) == "a fitted cost, abababab"
    with pytest.raises(ValueError, match="what was fitted on edge-1 is not in the scenario"):
        _ = SchoolCost(host="edge-1").facts


def model_with(old: str, new: str) -> str:
    whole = toml_of(trained_on(WHOLE))
    assert old in whole
    return whole.replace(old, new)


@pytest.mark.parametrize(
    ("toml", "field", "said"),
    [
        (f"{PLAIN}[cost]\n", "cost", "names no host, and has no model"),
        (f'{PLAIN}[cost]\nhost = "Edge 1"\n', "cost.host", "must match"),
        (f'{PLAIN}[cost]\nhost = "edge-1"\nversion = 3\n', "cost", "version is of the model that was fitted"),
        (model_with("version = 3\n", ""), "cost", "give all three"),
        (model_with("socket_cores = 4", "socket_cores = 0"), "cost.socket_cores", "1"),
        (model_with('["dpi", "nat"]', "[]"), "cost", "model.kinds are 0; games want 1 to 128"),
        (model_with('["dpi", "nat"]', '["dpi"]'), "cost", "model.core has not a row and a column for each kind"),
        (model_with("[[0.0, 0.5", "[[-0.1, 0.5"), "cost", "model.core has a coefficient that is not within 0"),
        (model_with("[[0.0, 0.5", "[[nan, 0.5"), "cost.model.core.0.0", "finite"),
        (model_with("400.0", "-400.0"), "cost", "model.hand_off has cycles that are not within 0"),
        (model_with('"presence"', '"age"'), "cost.model.weight", "load"),
    ],
)
def test_other_costs_are_refused_by_field(toml: str, field: str, said: str) -> None:
    with pytest.raises(BadScenario) as refused:
        scenario_of(toml)
    assert refused.value.field == field
    assert said in refused.value.message
