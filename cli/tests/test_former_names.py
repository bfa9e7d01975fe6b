"""Commands that were renamed: the former name ends with status 2 and names the present one, whatever follows it."""

import pytest


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("hosts hurts edge-1 -o json", "sextant hosts interference"),
        ("plans hurts 1 --host edge-1 --before", "sextant plans interference"),
        ("shadow", "sextant races"),
        ("shadow show 1", "sextant races"),
    ],
)
def test_a_former_command_names_the_present_one(console, sextant, former: str, present: str) -> None:
    result = sextant(*former.split())
    assert result.exit_code == 2
    assert f"is now '{present}'" in result.stderr
    assert f"{present} --help" in result.stderr
    assert sextant(*present.split()[1:], "--help").exit_code == 0


def test_former_names_are_in_no_help(sextant) -> None:
    for group in ((), ("hosts",), ("plans",)):
        help_text = sextant(*group, "--help").stdout
        assert "hurts" not in help_text
        assert "shadow" not in help_text
