"""Each kind of difference as the runner's operations, with the record kept ahead of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, assert_never

from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.secret import SecretValues, resolved
from sextant_domain.hosts.desired import DesiredChain, DesiredNf

from sextant_agent.contract.driver import Failure
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.differences import Difference, Kind
from sextant_agent.control.ordered_source import source_of
from sextant_agent.drivers.testbed.orders import nfs_of, state_of
from sextant_agent.drivers.testbed.record import TestbedRecord
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerRefused
from sextant_agent.drivers.testbed.runner_messages import ChangeAnswer, MoveAnswer, RemoveAnswer, RunnerAnswer
from sextant_agent.machine.proc import pinned_core

ADD_TIMEOUT_S = 20.0
COMPILE_TIMEOUT_S = 20.0
"""More for each NF whose tables are built: patterns may take the runner 16 s, and it answers questions meanwhile."""
REMOVE_TIMEOUT_S = 10.0
"""The runner drains a chain's rings for at most 1 s."""
HOPELESS = frozenset({"bad-request", "unknown-op", "core-not-allowed", "bad-config", "no-room"})
"""Refusals that a repeat of the same order does not fix."""


class NotVerified(Exception):
    """The runner said yes, the kernel says no."""


class ChainRepair:
    """Carries out differences over one connection. Not safe for several threads."""

    def __init__(self, runner: RunnerClient, record: TestbedRecord, secrets: SecretValues) -> None:
        self._runner = runner
        self._record = record
        self._secrets = secrets

    def repair(self, gap: Difference, wanted: Mapping[str, DesiredChain], found: HostSample) -> str | Failure:
        """What was done, for a person, or why it failed. Raises RunnerError where the runner cannot be asked."""
        try:
            return self._repair(gap, wanted, found)
        except RunnerRefused as refusal:
            return Failure(str(refusal), permanent=refusal.code in HOPELESS)
        except (NotVerified, DriverError) as error:
            return Failure(str(error))

    def _repair(self, gap: Difference, wanted: Mapping[str, DesiredChain], found: HostSample) -> str:
        match gap.kind:
            case Kind.REMOVE:
                return self._remove(gap.chain)
            case Kind.ADD:
                return self._add(wanted[gap.chain])
            case Kind.REPLACE:
                return f"{self._remove(gap.chain)}; {self._add(wanted[gap.chain])}"
            case Kind.MOVE | Kind.RESTART | Kind.CONFIGURE:
                return self._repair_nf(gap, wanted[gap.chain], found)
            case Kind.SOURCE | Kind.EXECUTION | Kind.PAUSE | Kind.RESUME:
                return self._change(gap.kind, wanted[gap.chain])
            case Kind.START | Kind.CPU | Kind.RESOURCES:  # the driver's own affair: no request of the runner fixes them
                raise ValueError(f"{gap.kind} is not repaired by the runner")
            case _:
                assert_never(gap.kind)

    def _repair_nf(self, gap: Difference, chain: DesiredChain, found: HostSample) -> str:
        nf = next(nf for nf in chain.nfs if nf.nf_id == gap.key)
        match gap.kind:
            case Kind.RESTART:
                return self._restart(gap.key, found.nfs[gap.key].exit, _patience(chain))
            case Kind.CONFIGURE:
                return self._configure(nf, chain)
            case _:
                return self._move(gap.key, nf.core, found.nfs[gap.key].pid)

    def _change(self, kind: Literal[Kind.SOURCE, Kind.EXECUTION, Kind.PAUSE, Kind.RESUME], chain: DesiredChain) -> str:
        match kind:
            case Kind.SOURCE:
                return self._set_source(chain)
            case Kind.EXECUTION:
                return self._execute(chain)
            case Kind.PAUSE | Kind.RESUME:
                return self._pause(chain.chain, paused=kind is Kind.PAUSE)

    def _pause(self, name: str, *, paused: bool) -> str:
        op, done = ("pause_chain", "paused") if paused else ("resume_chain", "resumed")
        self._runner.request(RunnerAnswer, op, chain=name)
        return f"{done} {name}"

    def _remove(self, name: str) -> str:
        self._record.forget(name)
        answer = self._runner.request(RemoveAnswer, "remove_chain", REMOVE_TIMEOUT_S, chain=name)
        return f"removed {name}, {answer.lost_packets} packets lost"

    def _add(self, chain: DesiredChain) -> str:
        self._runner.request(
            RunnerAnswer, "add_chain", _patience(chain), chain=chain.chain, nfs=nfs_of(chain, self._secrets),
            source=source_of(chain), **state_of(chain),
        )  # fmt: skip
        self._record.put(chain.chain, fingerprint(chain))
        return f"added {chain.chain}, {len(chain.nfs)} NFs"

    def _set_source(self, chain: DesiredChain) -> str:
        entry = self._record.get(chain.chain)
        if entry is None:
            return f"{self._remove(chain.chain)}; {self._add(chain)}"
        given = entry.fingerprint
        self._record.put(chain.chain, replace(given, source="unknown"), instance=entry.instance)
        # A capture that it names is read and checked before the answer.
        self._runner.request(RunnerAnswer, "set_source", ADD_TIMEOUT_S, chain=chain.chain, source=source_of(chain))
        self._record.put(chain.chain, replace(given, source=fingerprint(chain).source), instance=entry.instance)
        return f"changed the traffic of {chain.chain} to {chain.traffic.rate_mpps} Mpps"

    def _configure(self, nf: DesiredNf, chain: DesiredChain) -> str:
        entry = self._record.get(chain.chain)
        if entry is None:
            return f"{self._remove(chain.chain)}; {self._add(chain)}"
        given = entry.fingerprint
        unknown = replace(given, configs={**given.configs, nf.nf_id: "unknown"})
        self._record.put(chain.chain, unknown, instance=entry.instance)
        config = resolved(nf.config, self._secrets)
        self._runner.request(RunnerAnswer, "configure_nf", ADD_TIMEOUT_S, nf=nf.nf_id, config=config)
        taken = replace(given, configs={**given.configs, nf.nf_id: fingerprint(chain).configs[nf.nf_id]})
        self._record.put(chain.chain, taken, instance=entry.instance)
        return f"changed {', '.join(changeable_of(nf.nf_type, nf.config))} of {nf.nf_id} while it runs"

    def _move(self, nf_id: str, core: int, pid: int | None) -> str:
        answer = self._runner.request(MoveAnswer, "move_nf", ADD_TIMEOUT_S, nf=nf_id, core=core)
        pid = answer.pid or pid
        read = pinned_core(pid) if pid is not None else None
        if answer.core != core or read != core:
            where = "several cores or none" if read is None else f"core {read}"
            raise NotVerified(f"ordered to core {core}, but its thread may run on {where}")
        return f"moved {nf_id} to core {core}{_interrupted(answer)}"

    def _execute(self, chain: DesiredChain) -> str:
        answer = self._runner.request(
            ChangeAnswer, "set_execution", ADD_TIMEOUT_S, chain=chain.chain, execution=chain.execution
        )
        return f"changed the execution of {chain.chain} to {chain.execution}{_interrupted(answer)}"

    def _restart(self, nf_id: str, exit_text: str | None, timeout_s: float) -> str:
        self._runner.request(RunnerAnswer, "restart_nf", timeout_s, nf=nf_id)
        return f"restarted {nf_id} ({exit_text or 'it had ended'})"


def _patience(chain: DesiredChain) -> float:
    return ADD_TIMEOUT_S + COMPILE_TIMEOUT_S * len(chain.nfs)


def _interrupted(answer: ChangeAnswer) -> str:
    if answer.interruption_us is None:
        return ""
    return f", at most {answer.interruption_us / 1000:.1f} ms between two packets at the sink"
