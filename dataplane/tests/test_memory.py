"""A machine without memory for packets and tables: the runner says so at its start, and leaves nothing."""

import pytest

from .conftest import running

pytestmark = pytest.mark.fault


@pytest.mark.parametrize("limit_mib", [64, 400, 1000])
def test_a_runner_without_room_says_so_and_leaves_nothing(
    tmp_path_factory: pytest.TempPathFactory, limit_mib: int
) -> None:
    """Counters and rings, captures, packets and tables: whichever does not fit, it ends with the cause in its log."""
    folder = tmp_path_factory.mktemp("small")
    with running(folder, ("prlimit", f"--as={limit_mib << 20}"), huge="off") as runner:
        assert runner.process.wait(30) == 1
        assert any(option in runner.log.read_text() for option in ("--memory-mb", "--replay-mb", "no shared memory"))
        assert not runner.socket.exists()
