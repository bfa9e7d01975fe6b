"""`srv6.toml`: what a host is among those that exchange measured packets."""

import tomllib
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from sextant_domain.base import own_words
from sextant_domain.hosts.path import MAX_MTU, MIN_MTU, PathLink, PathPlace
from sextant_engine.control.srv6.reroute import RerouteSettings

MAX_BYTES = 64 * 1024
USUAL_MTU = 9000
LONGEST_PREFIX = 48
"""Behind it an address has room for a chain's tag and a place on its path."""


class BadPlace(Exception):
    """The field, what is wrong with it, and what it should be."""


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Link(_Closed):
    """A port to other hosts, and who is reached by it."""

    port: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,15}$")
    """The interface: `eth1`."""
    mac: str = Field(pattern=r"^([0-9a-f]{2}:){5}[0-9a-f]{2}$")
    """Of the next hop."""
    to: tuple[IPv6Network, ...] = Field(min_length=1, max_length=1000)
    """Prefixes of hosts behind it; of several links that have a segment the first is preferred, and the others are
    taken where it is cut."""
    mtu: int = Field(default=USUAL_MTU, ge=MIN_MTU, le=MAX_MTU)
    """Of all that is between: no larger packet is sent by it."""


class Srv6Place(_Closed):
    """One host. Its segments are of its own prefix; of other hosts' edges only `sources` are believed."""

    daemon: Path
    """Socket of `sextant-srv6`."""
    programs: tuple[Path, ...] = Field(min_length=1, max_length=8)
    """Folders of `sextant-srv6-nf` and, of the same beginning, `source`, `sink` and `decode`; the first that has one
    counts."""
    locator: IPv6Network
    """This host's prefix: `fc00:0:1::/48`."""
    link: tuple[Link, ...] = Field(default=(), max_length=64)
    sources: tuple[IPv6Address, ...] = Field(default=(), max_length=1000)
    """Of edges of other hosts, whose packets may pass here."""
    mtu: int = Field(default=USUAL_MTU, ge=MIN_MTU, le=MAX_MTU)
    """Of the links between this host's own parts."""
    return_after_s: float = Field(default=10.0, ge=0.1, le=3600)
    """So long a link must have been well before a chain that was led over another goes back to it."""
    slow_packets: int | None = Field(default=None, ge=1, le=1_000_000)
    """More of them waiting at a link make it slow; None: none is."""
    slow_after_s: float = Field(default=1.0, ge=0.1, le=60)
    """So long it must have been slow before a chain is led over another at which nothing waits."""

    @model_validator(mode="after")
    def _paths_are_absolute(self) -> Self:
        for field, path in (("daemon", self.daemon), *(("programs", path) for path in self.programs)):
            if not path.is_absolute():
                raise ValueError(f"{field}: '{path}' is not an absolute path")
        return self

    @model_validator(mode="after")
    def _prefixes_are_apart(self) -> Self:
        if self.locator.prefixlen > LONGEST_PREFIX:
            raise ValueError(f"locator: {self.locator} is longer than a /{LONGEST_PREFIX}: no room for segments")
        for at, link in enumerate(self.link):
            for index, other in enumerate(link.to):
                if other.overlaps(self.locator):
                    field = f"link.{at}.to.{index}"
                    raise ValueError(f"{field}: {other} has addresses in common with the locator {self.locator}")
        return self

    @property
    def source(self) -> IPv6Address:
        """Of what this host's edges send."""
        return self.locator.network_address

    @property
    def rerouting(self) -> RerouteSettings:
        """When a chain takes another of its links."""
        return RerouteSettings(round(1e9 * self.return_after_s), self.slow_packets, round(1e9 * self.slow_after_s))

    @property
    def others(self) -> frozenset[IPv6Network]:
        """Prefixes of other hosts."""
        return frozenset(prefix for link in self.link for prefix in link.to)

    def links_to(self, sid: IPv6Address) -> tuple[Link, ...]:
        """By which a segment of another host is reached, the preferred one first."""
        return tuple(link for link in self.link if any(sid in prefix for prefix in link.to))

    @property
    def reported(self) -> PathPlace:
        """What the console plans paths with."""
        links = tuple(PathLink(port=link.port, mtu=link.mtu, to=link.to) for link in self.link)
        return PathPlace(locator=self.locator, mtu=self.mtu, sources=self.sources, links=links)

    def program(self, name: str) -> Path:
        """One of the four: nf, source, sink, decode. Where it should be, if no folder has it."""
        paths = [folder / f"sextant-srv6-{name}" for folder in self.programs]
        return next((path for path in paths if path.is_file()), paths[0])


def read_place(path: Path) -> Srv6Place:
    """Raises BadPlace."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise BadPlace(f"{path} is larger than {MAX_BYTES} bytes")
        return Srv6Place.model_validate(tomllib.loads(text.decode()))
    except OSError as error:
        raise BadPlace(f"{path} cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPlace(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadPlace(f"{path}: {where + ': ' if where else ''}{own_words(first['msg'])}") from error
