"""When garbage is collected."""

import gc

import pytest
from sextant_agent.kit.collector import without_collector


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_collected_meanwhile_and_afterwards_all_is_as_it_was(enabled: bool) -> None:
    """Though what was done meanwhile fails."""
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(ValueError, match="a defect"), without_collector():
            assert not gc.isenabled()
            raise ValueError("a defect")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
