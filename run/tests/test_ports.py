"""Which port the console gets, and who is named where one is taken."""

import os
import socket
from collections.abc import Iterator

import pytest
from sextant_run import ports
from sextant_run.errors import RunError


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_was_asked_for_and_is_free_is_taken() -> None:
    port = ports.any_free()
    assert ports.console_port(port) == (port, "")


def test_a_port_that_was_asked_for_and_is_taken_names_its_holder(listener: int) -> None:
    with pytest.raises(
        RunError, match=rf"SEXTANT_PORT: port {listener} is in use by .*\(pid {os.getpid()}\)"
    ) as refused:
        ports.console_port(listener)
    assert "SEXTANT_PORT=" in refused.value.next_step


def test_zero_means_any_free_port() -> None:
    first, remark = ports.console_port(0)
    assert first > 0
    assert remark == ""
    assert ports.console_port(0, previous=first) == (first, "")


def test_unset_takes_the_next_free_one_and_says_so(listener: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "DEFAULT_CONSOLE_PORT", listener)
    port, remark = ports.console_port(None)
    assert port > listener
    assert remark.startswith(f"port {listener} is in use by")


def test_a_port_in_time_wait_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()  # the side that closes first keeps the port in TIME_WAIT
    assert ports.is_free(port)


def test_other_ports_stay_the_same_from_time_to_time(listener: int) -> None:
    free = ports.any_free()
    assert ports.keep_or_choose(free, frozenset()) == free
    assert ports.keep_or_choose(free, frozenset({free})) != free
    assert ports.keep_or_choose(listener, frozenset()) != listener


def test_a_chosen_port_is_given_to_nobody_before_its_server_listens() -> None:
    """A client's connection gets its port from the same range, and asks for none that may be shared."""
    port = ports.any_free()
    with socket.socket() as stranger, pytest.raises(OSError, match="already in use"):
        stranger.bind((ports.LOOPBACK, port))
    with socket.create_server((ports.LOOPBACK, port)) as server:
        assert server.getsockname()[1] == port
