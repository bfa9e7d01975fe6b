"""Where messages may be sent: by the address behind a name, at the moment of connecting."""

import socket
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

import pytest
from notification_world import a_receiver
from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.modules.notifications import destination, webhooks
from sextant_backend.settings import Settings

LOOPBACK = (ip_network("127.0.0.0/8"),)
EVERYTHING = (ip_network("0.0.0.0/0"), ip_network("::/0"))


def refused(address: str, allowed: destination.Networks = (), port: int = 443, *, encrypted: bool = True) -> str:
    with pytest.raises(ForbiddenDestination) as found:
        destination.check(ip_address(address), port, allowed, encrypted=encrypted)
    return str(found.value)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "::1",
        "fc00::1",
        "fd12:3456::1",
        "::ffff:10.1.2.3",
        "::ffff:127.0.0.1",
        "64:ff9b::a01:203",
        "2002:a01:203::1",
        "::7f00:1",
        "2001:db8::1",
        "2001::1",
    ],
)
def test_private_addresses_are_refused_in_every_form(settings: Settings, address: str) -> None:
    """10.1.2.3 as such, mapped (::ffff:), behind NAT64 (64:ff9b::) and as 6to4 (2002:0a01:0203::)."""
    assert "nothing is sent" in (text := refused(address)) or "is private" in text


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "169.254.1.1",
        "fe80::1",
        "224.0.0.1",
        "ff02::1",
        "0.0.0.0",
        "0.1.2.3",
        "::",
        "255.255.255.255",
    ],
)
def test_some_addresses_are_refused_whatever_is_allowed(settings: Settings, address: str) -> None:
    assert "nothing is sent there" in refused(address, EVERYTHING)


def test_public_addresses_are_open_and_only_with_encryption(settings: Settings) -> None:
    destination.check(ip_address("93.184.215.14"), 443, (), encrypted=True)
    destination.check(ip_address("2606:2800:21f::1"), 443, (), encrypted=True)
    assert "without encryption" in refused("93.184.215.14", port=80, encrypted=False)


def test_allowed_networks_are_open_also_without_encryption(settings: Settings) -> None:
    destination.check(ip_address("127.0.0.1"), 9999, LOOPBACK, encrypted=False)
    destination.check(ip_address("::ffff:127.0.0.1"), 9999, LOOPBACK, encrypted=False)
    assert "is private" in refused("10.0.0.1", LOOPBACK)


def test_the_queue_of_this_installation_is_refused_though_its_network_is_allowed(settings: Settings) -> None:
    parts = urlsplit(settings.redis_url)
    if parts.scheme == "unix" or not parts.hostname:
        pytest.skip("the queue of this run listens at a socket file")
    assert "is the queue of this installation" in refused("127.0.0.1", LOOPBACK, parts.port or 6379)


def test_the_address_that_was_judged_is_the_one_that_is_connected_to(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that answers with an allowed address first and the metadata service afterwards is asked once."""
    asked: list[str] = []
    true = socket.getaddrinfo

    def rebinding(host: str, *rest: object, **named: object) -> object:
        if host != "hooks.example.org":
            return true(host, *rest, **named)  # type: ignore[arg-type]
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with a_receiver() as receiver:
        url = f"http://hooks.example.org:{receiver.port}/x"
        options = {"delivery_id": "d", "event": "test", "attempt": 1}
        outcome = webhooks.send(url, "secret", b"{}", allowed=LOOPBACK, **options)  # type: ignore[arg-type]
        assert (outcome.status, outcome.error) == (204, None)
        assert receiver.received[0].headers["Host"] == f"hooks.example.org:{receiver.port}"
        again = webhooks.send(url, "secret", b"{}", allowed=LOOPBACK, **options)  # type: ignore[arg-type]
    assert (again.final, again.status) == (True, None)
    assert "metadata" in (again.error or "")
    assert len(receiver.received) == 1
