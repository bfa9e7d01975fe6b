"""A host in virtual time: chains that start slowly, NFs that crash, a data plane that dies, an agent that forgets.

Everything comes from one seeded generator, so every failure replays from its seed.
"""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sextant_agent.contract.driver import ApplyReport, Failure
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters
from sextant_agent.control.differences import Kind, differences
from sextant_agent.control.reconciler import ReconcilerDecision, ReconcilerState, decide, learn
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent, NfState

from .orders import chain, content, nf

START = datetime(2026, 1, 1, tzinfo=UTC)
CATALOGUE = ("router", "firewall", "load-balancer")


class World:
    """One host, its data plane, and the reconciler that looks after it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.desired = DesiredHostConfig.of(0, content())
        self.memory = ReconcilerState()
        self.up = False
        self.epoch = 0
        self.instances = 0
        self.chains: dict[str, DesiredChain] = {}
        self.sources: dict[str, str] = {}
        self.configs: dict[str, str] = {}
        """Of the NFs that take up a changed configuration: what they were given last."""
        self.groups = 0
        self.nfs: dict[str, NfCounters] = {}
        self.trouble = True
        self.applies = 0
        self.last: ReconcilerDecision | None = None

    def random_content(self) -> HostContent:
        """Up to three chains of up to three NFs, on four cores."""
        chains = []
        for name in self.random.sample(["a", "b", "c"], self.random.randint(0, 3)):
            types = self.random.sample(CATALOGUE, self.random.randint(1, 3))
            nfs = [self._random_nf(name, kind) for kind in types]
            made = chain(name, *nfs, rate_mpps=self.random.choice([0.1, 0.2]))
            execution = self.random.choice(["isolated", "run-to-completion"])
            chains.append(made.model_copy(update={"execution": execution, "paused": self.random.random() < 0.3}))
        return content(*sorted(chains, key=lambda each: each.chain))

    def _random_nf(self, name: str, kind: str) -> DesiredNf:
        ran = self.random.randint(1, 2)
        config = {"backends": [{"address": f"10.200.0.{ran}", "weight": 1}]} if kind == "load-balancer" else {}
        return nf(name, kind, core=self.random.randrange(4), slot=self.random.randrange(64), **config)

    def order(self) -> None:
        self.desired = DesiredHostConfig.of(self.desired.generation + 1, self.random_content())

    def crash_nf(self) -> None:
        running = [found for found in self.nfs.values() if found.state is NfState.RUNNING]
        if self.up and running:
            victim = self.random.choice(running)
            for found in running:
                if found.group == victim.group:
                    crashed = replace(found, state=NfState.CRASHED, core=None, exit="killed by signal 9")
                    self.nfs[found.nf_id] = crashed

    def kill_data_plane(self) -> None:
        self.up, self.chains, self.sources, self.nfs = False, {}, {}, {}

    def restart_agent(self) -> None:
        """A successor knows nothing but the applied generation, which is on disk."""
        self.memory = ReconcilerState(applied_generation=self.memory.applied_generation)

    def sample(self) -> HostSample | DataPlaneDown:
        if not self.up:
            return DataPlaneDown("the runner has ended")
        return HostSample(
            taken_ns=int(self.now * 1e9),
            taken_at=START + timedelta(seconds=self.now),
            epoch=str(self.epoch),
            note="the runner was started again" if self.epoch > 1 else None,
            chains={
                name: ChainCounters(
                    chain=name,
                    fingerprint=replace(
                        fingerprint(given),
                        source=self.sources[name],
                        configs={
                            each.nf_id: self.configs[each.nf_id] for each in given.nfs if each.nf_id in self.configs
                        },
                    ),
                    instance=1,
                    execution=given.execution,
                    paused=given.paused,
                )
                for name, given in self.chains.items()
            },
            nfs=dict(self.nfs),
        )

    def step(self) -> ReconcilerDecision:
        """Look, decide, act, learn: what the loop does."""
        found = self.sample()
        decision = decide(self.desired, found, self.now, self.memory)
        self.memory = decision.memory
        for action in decision.actions:
            self.applies += 1
            self.memory = learn(self.memory, self.apply(action.hold), self.now)
        self.last = decision
        return decision

    def apply(self, hold: frozenset[str]) -> ApplyReport | DataPlaneDown:
        self.now += self.random.uniform(0.01, 3.0 if self.trouble else 0.2)
        if not self.up:
            if self.trouble and self.random.random() < 0.4:
                return DataPlaneDown("the runner does not start")
            self.up, self.epoch = True, self.epoch + 1
        wanted = {each.chain: each for each in self.desired.content.chains}
        found = self.sample()
        assert isinstance(found, HostSample)
        done, failures = [], {}
        for gap in differences(self.desired.content, found):
            if gap.keys & hold or gap.chain in failures:
                continue
            if self.trouble and self.random.random() < 0.2:
                if self.random.random() < 0.2:
                    self.kill_data_plane()
                    return DataPlaneDown("the runner closed the connection")
                failures[gap.key] = Failure("no room", permanent=self.random.random() < 0.3)
                continue
            if self.trouble and self.random.random() < 0.05:
                continue  # says that it is done, and it is not
            self._repair(gap.kind, gap.key, gap.chain, wanted)
            done.append(gap.text)
        return ApplyReport(tuple(done), failures)

    def _repair(self, kind: Kind, key: str, name: str, wanted: dict[str, DesiredChain]) -> None:
        if kind in {Kind.REMOVE, Kind.REPLACE}:
            del self.chains[name], self.sources[name]
            self.nfs = {nf_id: found for nf_id, found in self.nfs.items() if found.chain != name}
        if kind in {Kind.ADD, Kind.REPLACE}:
            assert name not in self.chains, "a chain is never added twice"
            self.chains[name] = wanted[name]
            self.sources[name] = fingerprint(wanted[name]).source
            self.configs |= fingerprint(wanted[name]).configs
            for each in wanted[name].nfs:
                self.nfs[each.nf_id] = NfCounters(
                    each.nf_id, name, each.nf_type, NfState.RUNNING, 1, each.core, each.core, 1, None
                )
            self._regroup(name)
        if kind is Kind.SOURCE:
            self.sources[name] = fingerprint(wanted[name]).source
        if kind is Kind.CONFIGURE:
            assert self.nfs[key].state is NfState.RUNNING, "only what runs takes up a configuration"
            self.configs[key] = fingerprint(wanted[name]).configs[key]
        if kind in {Kind.PAUSE, Kind.RESUME}:
            self.chains[name] = self.chains[name].model_copy(update={"paused": kind is Kind.PAUSE})
        if kind is Kind.EXECUTION:
            self.chains[name] = self.chains[name].model_copy(update={"execution": wanted[name].execution})
            self._regroup(name)
        if kind is Kind.MOVE:
            core = next(each.core for each in wanted[name].nfs if each.nf_id == key)
            self.nfs[key] = replace(self.nfs[key], core=core, last_core=core)
            self._regroup(name)
        if kind is Kind.RESTART:
            found = self.nfs[key]
            assert found.state is NfState.CRASHED, "only what crashed is restarted"
            for each in [each for each in self.nfs.values() if each.group == found.group]:
                self.nfs[each.nf_id] = replace(each, state=NfState.RUNNING, core=each.last_core, starts=each.starts + 1)

    def _regroup(self, name: str) -> None:
        """Neighbours on one core share a process, as the runner lays them."""
        before = None
        for each in self.chains[name].nfs:
            found = self.nfs[each.nf_id]
            shared = self.chains[name].execution == "run-to-completion" and found.last_core == before
            self.groups += 0 if shared else 1
            self.nfs[each.nf_id], before = replace(found, group=self.groups), found.last_core

    def tick(self) -> ReconcilerDecision:
        """One second or until the wake-up asked for, and perhaps some trouble on the way."""
        if self.trouble:
            for chance, event in (
                (0.10, self.order),
                (0.15, self.crash_nf),
                (0.04, self.kill_data_plane),
                (0.03, self.restart_agent),
            ):
                if self.random.random() < chance:
                    event()
        decision = self.step()
        wake_at = decision.wake_at
        self.now += 1.0 if wake_at is None else min(1.0, max(0.05, wake_at - self.now))
        return decision

    def is_as_ordered(self) -> bool:
        found = self.sample()
        return isinstance(found, HostSample) and not differences(self.desired.content, found)
