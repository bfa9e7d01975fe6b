"""Small studies in one line each, started and watched over the API."""

from typing import Any

from fastapi.testclient import TestClient
from fleet_world import API
from sextant_domain.studies.study import Study

STUDIES = f"{API}/studies"
SMALL = """
name = "small"
summary = "Two NFs."
kind = "prediction"
placements = 2
seeds = [1, 2]

[server]
machine = "xeon-e5-2650-v4"

[[nf]]
name = "router"

[[nf]]
name = "nat"

[[set]]
name = "pair"
chains = [["router", "nat"]]
"""
"""Some seconds, most of them Python's own start."""
LONG = SMALL.replace("[1, 2]", str(list(range(100)))).replace("placements = 2", "placements = 400")
"""A minute and more, of small steps."""


def asked(client: TestClient, toml: str = SMALL, **headers: str) -> Any:
    return client.post(STUDIES, json={"scenario_toml": toml}, headers=headers)


def started(client: TestClient, toml: str = SMALL) -> Study:
    answer = asked(client, toml)
    assert answer.status_code == 202, answer.text
    return Study.model_validate_json(answer.content)


def now(client: TestClient, study: Study | int) -> Study:
    answer = client.get(f"{STUDIES}/{study if isinstance(study, int) else study.id}")
    assert answer.status_code == 200, answer.text
    return Study.model_validate_json(answer.content)
