"""Scenario files, strictly read."""

from pathlib import Path

from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES, BadScenario, Scenario, scenario_of


def read(path: Path) -> Scenario:
    """The study in a file. Raises BadScenario with the first field that cannot be."""
    try:
        size = path.stat().st_size
        if size > MAX_SCENARIO_BYTES:
            raise BadScenario(path.name, f"has {size} bytes; the most is {MAX_SCENARIO_BYTES}")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadScenario(path.name, f"is no TOML: {error}") from error
    except OSError as error:
        raise BadScenario(path.name, f"cannot be read: {error.strerror}") from error
    try:
        return scenario_of(text)
    except BadScenario as error:
        raise BadScenario(error.field or path.name, error.message) from error
