"""Measured values beside the paper's."""

from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.numasfp_result import StudyCheck, checked
from sextant_domain.studies.scenario import BadScenario

from sextant_lab.kinds.numasfp.measured import Measured


def checks_of(scenario: NumasfpScenario, found: Measured) -> tuple[StudyCheck, ...]:
    """Those that the scenario names, in its order; all where it names none. Raises BadScenario for one that was not
    measured."""
    if not scenario.expect:
        return tuple(checked(name, value.unit, value.value, None) for name, value in found.values.items())
    checks = []
    for number, expected in enumerate(scenario.expect):
        value = found.values.get(expected.what)
        if value is None:
            known = "; ".join(list(found.values)[:40])
            raise BadScenario(f"expect.{number}.what", f"{expected.what!r} is not measured; measured are: {known}")
        checks.append(checked(expected.what, value.unit, value.value, expected))
    return tuple(checks)
