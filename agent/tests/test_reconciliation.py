"""What an agent reports of its host during a long apply."""

import itertools
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.contract.driver import NO_SECRETS, ApplyReport
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters
from sextant_agent.control.reconciliation import Reconciliation
from sextant_agent.orders.applied import AppliedGeneration
from sextant_agent.orders.ledger import Ledger
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import ActualNf, HostContent, NfState

from .orders import HOST, chain, nf, order

WEB = chain("web", nf("web", "router", core=1))
ALONE = NfCounters("web.router", "web", "router", NfState.RUNNING, 70, 1, 1, 1, None)


class Plane:
    """A data plane of one NF, which is anything but as ordered until the second apply; samples are numbered."""

    def __init__(self) -> None:
        self.now = ALONE
        self.applies = 0
        self.samples = 0
        self.host: Reconciliation | None = None
        self.reported: list[ActualNf] = []
        self._clock = itertools.count(1_000)

    def sample(self) -> HostSample:
        self.samples += 1
        return self.taken(next(self._clock))

    def taken(self, ns: int) -> HostSample:
        given = fingerprint(WEB) if self.applies else None
        found = ChainCounters("web", given, 1)
        return HostSample(ns, datetime.now(UTC), "e", chains={"web": found}, nfs={"web.router": self.now})

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """The NF dies meanwhile, and another thread takes a sample."""
        del content, hold, secrets
        assert self.host is not None
        self.reported += self.host.actual().nfs
        self.now = replace(ALONE, state=NfState.CRASHED, pid=None, core=None, exit="killed by signal 9 (SIGKILL)")
        self.host.offer(self.sample())
        self.reported += self.host.actual().nfs
        self.host.offer(HostSample(1, datetime.now(UTC), "e"))  # a slow thread's, of before
        self.reported += self.host.actual().nfs
        self.now, self.applies = replace(ALONE, pid=71, starts=2), self.applies + 1
        return ApplyReport(done=("it",))


@pytest.fixture
def plane() -> Plane:
    return Plane()


@pytest.fixture
def host(tmp_path: Path, plane: Plane) -> Reconciliation:
    ledger = Ledger(tmp_path / "ledger.json", HOST)
    ledger.accept(order(1, WEB), lambda _: None)
    plane.host = Reconciliation(HOST, plane, ledger, AppliedGeneration(tmp_path / "applied"))  # type: ignore[arg-type]
    return plane.host


def test_a_death_is_reported_while_an_apply_goes_on(host: Reconciliation, plane: Plane) -> None:
    """And no older sample takes it back."""
    host.converge()
    assert [(reported.state, reported.pid) for reported in plane.reported] == [
        (NfState.RUNNING, 70), (NfState.CRASHED, None), (NfState.CRASHED, None),
    ]  # fmt: skip
    assert plane.reported[1].last_error == "killed by signal 9 (SIGKILL)"
    assert plane.reported[1].since > plane.reported[0].since
    assert [(reported.state, reported.pid, reported.restarts) for reported in host.actual().nfs] == [
        (NfState.RUNNING, 71, 1)
    ]


def test_what_was_seen_before_a_wake_is_not_decided_by(host: Reconciliation, plane: Plane) -> None:
    """One sample is offered and taken; the next is from before something ended, and the data plane is asked."""
    host.converge()
    before = plane.samples
    host.offer(plane.taken(time.monotonic_ns()))
    host.converge()
    assert plane.samples == before
    seen = plane.taken(time.monotonic_ns())
    host.expire_samples()
    host.offer(seen)
    host.converge()
    assert plane.samples == before + 1
