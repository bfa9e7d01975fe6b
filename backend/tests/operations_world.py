"""A small world for the decider, on a virtual clock and a seeded queue: agents with ledgers, a database that commits
whole transactions, workers that crash, freeze and come back, and operators who press buttons. Every seed replays."""

import random
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.outgoing import StoredFile
from sextant_backend.kit.leases.limits import LEASE_S, SWEEP_S
from sextant_backend.modules.operations.decider import decide
from sextant_backend.modules.operations.events import (
    Action,
    Asked,
    Claimed,
    Ended,
    Event,
    GenerationConsumed,
    HostSeen,
    HostSettled,
    OrderAccepted,
    Released,
    StepRun,
)
from sextant_backend.modules.operations.operator_actions import offers
from sextant_backend.modules.operations.orders import HostOrders
from sextant_backend.modules.operations.readings import Reading, Sample, reading_of
from sextant_backend.modules.operations.record import ACTIVE_STATES, OperationRecord, new_host
from sextant_backend.modules.operations.steps import Work, perform
from sextant_domain.base import digest_of_json
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.secret import SecretValues
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.artefact import digests_of
from sextant_domain.hosts.desired import (
    ActualNf,
    ActualState,
    DesiredChain,
    DesiredHostConfig,
    DesiredNf,
    DesiredStateOrder,
    HostContent,
    NfState,
    Phase,
)
from sextant_domain.plans.operation import OperationAction, OperationState
from sextant_domain.plans.plan import HostBase
from sextant_domain.problem import Problem, problem_type

START = datetime(2026, 1, 1, tzinfo=UTC)


def file_of(chain: str) -> str:
    """The file that the router of a chain reads."""
    return digest_of_json(chain.encode())


class SimSecrets:
    """No order names one."""

    def open(self, references: Iterable[str]) -> SecretValues:
        assert not list(references)
        return {}


class SimFiles:
    """Every file is stored."""

    def find(self, digest: str) -> StoredFile | None:
        return StoredFile(digest, 0, iter(()))


@cache
def content(host: str, *chains: str) -> HostContent:
    """Each chain has two NFs, on cores 1 and 2; the router reads a file."""
    return HostContent(
        host_id=host,
        chains=tuple(
            DesiredChain(
                chain=chain,
                nfs=tuple(
                    DesiredNf(nf_id=f"{chain}.{name}", nf_type=name, nf_version=1, config=config, core=core)
                    for core, name, config in ((1, "router", {"routes_file": file_of(chain)}), (2, "firewall", {}))
                ),
                ingress=Ingress(),
                egress=Egress(),
                traffic=Traffic(rate_mpps=0.1, packet_bytes=64),
            )
            for chain in sorted(chains)
        ),
    )


def refusal(kind: str, detail: str) -> Problem:
    """As the agent client makes them."""
    return Problem(type=problem_type(kind), title="Agent", status=409, detail=detail)


@dataclass
class SimAgent:
    """An agent with the ledger's rules; it converges one NF a step of the clock."""

    host: str
    ledger: DesiredHostConfig
    fence: int = 0
    up: bool = True
    stuck: bool = False
    lose_next_reply: bool = False
    applied: int = 0
    running: list[str] = field(default_factory=list)
    adopted: list[tuple[int, str]] = field(default_factory=list)
    fences: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)

    def desired(self) -> DesiredHostConfig:
        self._answer()
        return self.ledger

    def artefacts(self) -> frozenset[str]:
        self._answer()
        return frozenset(self.files)

    def send(self, file: StoredFile, fence: int) -> None:
        self._answer()
        self._refuse_overtaken(fence)
        self.files.add(file.digest)
        self._may_lose_reply()

    def put(self, order: DesiredStateOrder) -> ActualState:
        self._answer()
        self._refuse_overtaken(order.fence)
        new = order.desired
        if new.generation < self.ledger.generation:
            self.refused.append("older-generation")
            raise AgentError(refusal("older-generation", "older"), definitive=True)
        if new.generation == self.ledger.generation and new.digest != self.ledger.digest:
            self.refused.append("generation-conflict")
            raise AgentError(refusal("generation-conflict", "conflict"), definitive=True)
        if digests_of(new.content) - self.files:
            raise AgentError(refusal("artefact-missing", "send the files first"))
        self.fence = order.fence
        self.fences.append(order.fence)
        if new.generation > self.ledger.generation:
            self.ledger = new
            self.adopted.append((new.generation, new.digest))
        self._may_lose_reply()
        return self._actual()

    def _refuse_overtaken(self, fence: int) -> None:
        if fence < self.fence:
            raise AgentError(refusal("stale-fence", "a newer claim was seen"), claim_lost=True)

    def _may_lose_reply(self) -> None:
        if self.lose_next_reply:
            self.lose_next_reply = False
            raise AgentError(refusal("agent-unreachable", "the reply was lost"))

    def actual(self) -> ActualState:
        self._answer()
        return self._actual()

    def tick(self) -> None:
        """One step of the reconciler."""
        if not self.up or self.stuck:
            return
        if self.applied == self.ledger.generation:
            return
        wanted = [nf.nf_id for chain in self.ledger.content.chains for nf in chain.nfs]
        strangers = [nf for nf in self.running if nf not in wanted]
        missing = [nf for nf in wanted if nf not in self.running]
        if strangers:
            self.running.remove(strangers[0])
        elif missing:
            self.running.append(missing[0])
        else:
            self.applied = self.ledger.generation

    def _answer(self) -> None:
        if not self.up:
            raise AgentError(refusal("agent-unreachable", f"{self.host} does not answer"))

    busy: str | None = None
    """What it says that it is doing."""

    def _actual(self) -> ActualState:
        cores = {nf.nf_id: nf.core for chain in self.ledger.content.chains for nf in chain.nfs}
        converged = self.applied == self.ledger.generation
        return ActualState(
            host_id=self.host,
            phase=Phase.CONVERGED if converged else Phase.CONVERGING,
            detail="",
            busy=self.busy,
            desired_generation=self.ledger.generation,
            desired_digest=self.ledger.digest,
            applied_generation=self.applied,
            nfs=tuple(
                ActualNf(
                    nf_id=nf,
                    chain=nf.split(".")[0],
                    nf_type=nf.split(".")[1],
                    state=NfState.RUNNING,
                    pid=1,
                    core=cores.get(nf, 0),
                    since=START,
                )
                for nf in self.running
            ),
            observed_at=START,
        )


@dataclass
class SimSamples:
    """Telemetry of one chain, `old`, once a second: it carries 1 Mpps, and half of that on a host that runs the target
    of a world in which moves make it worse."""

    world: "World"

    def now(self) -> datetime:
        return self.world.now

    def newest(self, host: str) -> Reading | None:
        return Reading(at=self._last())

    def last(self, host: str, seconds: float) -> Reading | None:
        last = self._last()
        return reading_of(last, None, self.between(host, last - timedelta(seconds=seconds), last))

    def between(self, host: str, after: datetime, until: datetime) -> list[Sample]:
        found, ts = [], START - timedelta(seconds=10)
        while ts <= min(until, self._last()):
            if ts > after:
                worse = self.world.worse and ts >= self.world.converged.get(host, ts + timedelta(seconds=1))
                found.append(Sample(ts, "old", 1.0, 0.5 if worse else 1.0, 0.5 if worse else 0.0))
            ts += timedelta(seconds=1)
        return found

    def _last(self) -> datetime:
        return START + timedelta(seconds=int((self.world.now - START).total_seconds()))


@dataclass
class Books:
    """What the database says of a host."""

    generation: int
    digest: str
    content: HostContent
    applied: int = 0


@dataclass
class SimDatabase:
    """One operation; `transact` is atomic because nothing yields inside it."""

    record: OperationRecord
    works: dict[str, Work]
    books: dict[str, Books]
    token: int | None = None
    lease_until: datetime = START
    fence: int = 0
    accepted: list[tuple[str, bool, bool]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def transact(self, event: Event, now: datetime) -> list[StepRun]:
        decision = decide(self.record, event, now)
        self.record = decision.record
        for action in decision.actions:
            self._carry_out(action)
        return [action for action in decision.actions if isinstance(action, StepRun)]

    def _carry_out(self, action: Action) -> None:
        if isinstance(action, OrderAccepted):
            self.accepted.append((action.host, action.undo, action.between))
            order = self.works[action.host].orders.given(undo=action.undo, between=action.between)
            book = self.books[action.host]
            book.generation, book.digest, book.content = order.generation, order.digest, order.content
        elif isinstance(action, HostSettled):
            self.books[action.host].applied = action.generation
        elif isinstance(action, GenerationConsumed):
            self.books[action.host].generation = action.generation
        elif isinstance(action, Released | Ended):
            self.token = None
            if isinstance(action, Ended):
                self.ended.append(action.state.value)

    def claimable(self, now: datetime) -> bool:
        due = self.record.next_attempt_at is None or self.record.next_attempt_at <= now
        free = self.token is None or self.lease_until < now
        return self.record.state in ACTIVE_STATES and due and free


class World:
    """Everything, and the queue that drives it."""

    def __init__(
        self,
        seed: int,
        hosts: int = 1,
        waits: bool = False,
        measures: bool = False,
        worse: bool = False,
        exchanges: bool = False,
    ) -> None:
        """`exchanges`: each host runs a chain of its own, which goes to the next host in a circle; edge-1 has room for
        two meanwhile."""
        self.random = random.Random(seed)
        self.now = START
        self.measures, self.worse, self.exchanges = measures, worse, exchanges
        self.converged: dict[str, datetime] = {}
        """When a host came to run the target."""
        names = [f"edge-{n}" for n in range(1, hosts + 1)]
        self.own = {name: f"own-{name}" if exchanges else "old" for name in names}
        """What it runs at first."""
        self.agents = {name: self._agent(name, self.own[name]) for name in names}
        self.books = {
            name: Books(agent.ledger.generation, agent.ledger.digest, agent.ledger.content)
            for name, agent in self.agents.items()
        }
        self.fence = 0
        self.workers: list[Generator[None, None, None]] = []
        self.frozen: list[Generator[None, None, None]] = []
        self.next_token = 0
        self.next_sweep = START
        self.database = self.exchange() if exchanges else self.operation("web", waits)

    def _agent(self, name: str, chain: str) -> SimAgent:
        ledger = DesiredHostConfig.of(4, content(name, chain))
        running = [nf.nf_id for chain in ledger.content.chains for nf in chain.nfs]
        return SimAgent(name, ledger, applied=4, running=running, files=set(digests_of(ledger.content)))

    def operation(self, chain: str, waits: bool = False) -> SimDatabase:
        """A new operation that adds `chain` on every host, on top of what the database says."""
        self.converged = {}
        works, hosts = {}, []
        for index, (name, book) in enumerate(self.books.items()):
            generation = book.generation
            works[name] = Work(
                operation_id=1,
                fence=0,
                base=HostBase(host=name, generation=generation, digest=book.digest),
                orders=HostOrders(
                    target=DesiredHostConfig.of(generation + 1, content(name, self.own[name], chain)),
                    former=DesiredHostConfig.of(generation + 2, book.content),
                ),
                files=SimFiles(),
                secrets=SimSecrets(),
                samples=SimSamples(self) if self.measures else None,
            )
            after = ("edge-1",) if waits and index else ()
            hosts.append(new_host(name, generation, generation + 1, after, measures=self.measures))
        self.database = SimDatabase(OperationRecord(hosts=tuple(hosts)), works, self.books)
        return self.database

    def exchange(self) -> SimDatabase:
        """An operation in which every host waits for the next; edge-1 runs both of its chains in between."""
        names = list(self.books)
        works, hosts = {}, []
        for name, comes_from, goes_to in zip(names, [names[-1], *names], [*names[1:], names[0]], strict=False):
            book, between = self.books[name], name == names[0]
            own, comes = self.own[name], self.own[comes_from]
            record = new_host(
                name,
                book.generation,
                book.generation + 1 + between,
                () if goes_to == names[0] else (goes_to,),
                waits_ready=(names[0],) if goes_to == names[0] else (),
                has_between=between,
            )
            works[name] = Work(
                operation_id=1,
                fence=0,
                base=HostBase(host=name, generation=book.generation, digest=book.digest),
                orders=HostOrders(
                    target=DesiredHostConfig.of(record.to_generation, content(name, comes)),
                    former=DesiredHostConfig.of(record.undo_generation, book.content),
                    between=DesiredHostConfig.of(book.generation + 1, content(name, own, comes)) if between else None,
                ),
                files=SimFiles(),
                secrets=SimSecrets(),
            )
            hosts.append(record)
        self.database = SimDatabase(OperationRecord(hosts=tuple(hosts)), works, self.books)
        return self.database

    def run_nowhere(self) -> list[str]:
        """Chains of which no host runs all NFs."""
        running = [set(agent.running) for agent in self.agents.values()]
        return [
            own
            for own in self.own.values()
            if not any({f"{own}.router", f"{own}.firewall"} <= there for there in running)
        ]

    # -- the worker, as the runner does it; every yield is a place to die or freeze

    def worker(self) -> Generator[None, None, None]:
        db = self.database
        yield
        if not db.claimable(self.now):
            return
        self.next_token += 1
        self.fence += 1
        token, fence = self.next_token, self.fence
        db.token, db.lease_until = token, self.now + timedelta(seconds=LEASE_S)
        runs = [(self.now, run) for run in db.transact(Claimed(), self.now)]
        while runs:
            yield
            due, run = runs.pop(self.random.randrange(len(runs)))
            if due > self.now:
                runs.append((due, run))
                self._beat(db, token)
                continue
            work = db.works[run.host]
            try:
                result = perform(
                    run.step, run.undo, replace(work, fence=fence, measured=run.measured), self.agents[run.host]
                )
            except AgentError:
                return
            yield
            if db.token != token:
                return
            self._beat(db, token)
            next_runs = db.transact(result, self.now)
            runs += [(self.now + timedelta(seconds=run.after_s), run) for run in next_runs]

    def _beat(self, db: SimDatabase, token: int) -> None:
        if db.token == token:
            db.lease_until = self.now + timedelta(seconds=LEASE_S)

    # -- the queue

    def tick(self, trouble: bool) -> None:
        """One step: time passes, somebody moves, something may break."""
        self.now += timedelta(milliseconds=self.random.choice((10, 50, 100, 250)))
        for name, agent in self.agents.items():
            agent.tick()
            if agent.applied == self.database.works[name].target.generation:
                self.converged.setdefault(name, self.now)
        if self.now >= self.next_sweep:
            self.next_sweep = self.now + timedelta(seconds=SWEEP_S)
            self._follow_hosts()
            if self.database.claimable(self.now):
                self.workers.append(self.worker())
        if trouble:
            self._trouble()
        if self.workers:
            worker = self.random.choice(self.workers)
            if next(worker, "end") == "end":
                self.workers.remove(worker)

    def _follow_hosts(self) -> None:
        """As the sweep does of a stopped operation."""
        for host in self.database.record.hosts:
            agent = self.agents[host.host]
            if self.database.record.state is OperationState.FAILED_TEMP and agent.up:
                runs = agent.applied if agent.applied == agent.ledger.generation else None
                self.database.transact(HostSeen(host.host, runs), self.now)

    def _trouble(self) -> None:
        dice = self.random.random()
        agent = self.random.choice(list(self.agents.values()))
        if dice < 0.03 and self.workers:
            self.workers.pop(self.random.randrange(len(self.workers))).close()  # kill -9
        elif dice < 0.05 and self.workers:
            self.frozen.append(self.workers.pop(self.random.randrange(len(self.workers))))  # SIGSTOP
        elif dice < 0.08 and self.frozen:
            self.workers.append(self.frozen.pop())  # SIGCONT, long after its lease
        elif dice < 0.10:
            agent.up = not agent.up
        elif dice < 0.11:
            agent.stuck = not agent.stuck
        elif dice < 0.13:
            agent.lose_next_reply = True
        elif dice < 0.15:
            self.press(self.random.choice(list(OperationAction)))
        elif dice < 0.17:
            self.workers.append(self.worker())  # a doubled ring
        elif dice < 0.18:
            agent.files.clear()  # somebody cleaned up

    def press(self, action: OperationAction) -> bool:
        """An operator's button, if it is offered."""
        if not next(offer.allowed for offer in offers(self.database.record) if offer.action is action):
            return False
        self.database.transact(Asked(action), self.now)
        return True

    def mend(self) -> None:
        """All troubles are over; frozen workers wake up with what they held."""
        for agent in self.agents.values():
            agent.up, agent.stuck, agent.lose_next_reply = True, False, False
        self.workers += self.frozen
        self.frozen = []
