"""Work that is due again and again."""

import threading
from collections.abc import Callable

from sextant_agent.kit.beat import Beat


def beaten(turn: Callable[[], float], done: threading.Event) -> None:
    beat = Beat("test", turn)
    beat.start()
    assert done.wait(10)
    beat.stop()


def test_a_turn_says_when_it_is_due_again() -> None:
    """Twice at once; a third turn would come after an hour."""
    turns: list[float] = []
    done = threading.Event()

    def turn() -> float:
        turns.append(0.0 if len(turns) == 0 else 3600.0)
        if len(turns) == 2:
            done.set()
        return turns[-1]

    beaten(turn, done)
    assert turns == [0.0, 3600.0]


def test_it_ends_while_nothing_is_due() -> None:
    beat = Beat("test", lambda: 0.0, first_s=3600.0)
    beat.start()
    beat.stop()
    assert "test" not in {thread.name for thread in threading.enumerate()}
