"""Chains and their parts, put together and taken apart in the order in which no packet meets half of one."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.chains.nf import CHANGEABLE, changeable_of
from sextant_domain.chains.secret import SecretValues, resolved
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.hosts.path import ChainPath

from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.control.ordered_source import source_of
from sextant_agent.control.running import how_it_ended
from sextant_agent.drivers.srv6.answers import NfFigures, Opened
from sextant_agent.drivers.srv6.chain_path import device_of, free_tag, path_of
from sextant_agent.drivers.srv6.draining import Passage, Passages, drain
from sextant_agent.drivers.srv6.inventory import NF_TYPES
from sextant_agent.drivers.srv6.place import Srv6Place
from sextant_agent.drivers.srv6.processes import ProcessFolder, pin
from sextant_agent.drivers.srv6.record import ChainEntry, NfEntry, ProcessEntry, Srv6Record
from sextant_agent.drivers.srv6.ways import Ways
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S, LineAnswer, LineClient, LineError, LineRefused

DRAIN_S = 0.2
"""Given to what is within where nobody can say what that is."""

_RULES = CHANGEABLE["nft-firewall"]
"""All settings of an NF in the kernel."""


class Chains:
    """Of one host. Not safe for several threads. Raises DriverError, and LineError where daemon or process is not there
    to answer."""

    def __init__(
        self,
        place: Srv6Place,
        daemon: LineClient,
        record: Srv6Record,
        folder: ProcessFolder,
        ways: Ways,
        *,
        secrets: SecretValues,
    ) -> None:
        self._place, self._daemon, self._record, self._folder, self._ways = place, daemon, record, folder, ways
        self._secrets = secrets

    def add(self, chain: DesiredChain) -> str:
        """All of it or nothing: from its end to its begin, so that whatever enters finds the whole way."""
        unknown = sorted({nf.runs for nf in chain.nfs} - NF_TYPES)
        if unknown:
            raise DriverError(f"this host has no program for {', '.join(unknown)}", permanent=True)
        path = self._path_of(chain)
        here = {nf.nf_id for nf in chain.nfs}
        self._ways.check(path, here)
        entry = self._record.put(self._new_entry(chain, path))
        try:
            if entry.sink is not None:
                self._open_exit(entry, entry.sink)
            for nf in chain.nfs:
                self._open_nf(entry, nf)
            self._ways.set(path, here)
            if entry.packet_source is not None:
                self._open_edge(entry, entry.packet_source, chain)
            taken = fingerprint(chain)
            given = {"structure": taken.structure, "source": taken.source, "configs": dict(taken.configs)}
            self._record.put(self._record.chains[chain.chain].model_copy(update=given))
        except (DriverError, LineError):
            self._take_apart(chain.chain)
            raise
        return f"added {chain.chain}, {len(chain.nfs)} NFs"

    def remove(self, name: str) -> str:
        """Nothing enters any more, what is within comes out, and then all of it goes. The source stays until then: what
        it sent would otherwise be known to nobody, nor whether all of it came out."""
        entry = self._record.chains[name]
        self._record.put(entry.model_copy(update={"structure": ""}))  # whoever comes after us takes it apart, too
        passage = self._drain(entry)
        self._take_apart(name)
        return f"removed {name}" if passage is None else f"removed {name}: {passage.text}"

    def _drain(self, entry: ChainEntry) -> Passage | None:
        """None where an end of it does not answer: then it is given some time."""
        stopped = entry.packet_source is not None and self._stops(entry.packet_source)
        if not stopped:  # or another host sends, of whose packets some may still be on their way
            time.sleep(DRAIN_S)
        countable = all(end.alive for end in entry.ends)
        return drain(partial(Passages(self._daemon, self._folder).of, entry)) if countable else None

    def _stops(self, source: ProcessEntry) -> bool:
        """It sends nothing any more, and can say how much it has sent; else it is ended."""
        with suppress(LineError):
            self._ask(source, "set_rate", rate_mpps=0.0)
            return True
        self._folder.end(source)
        return False

    def restart(self, chain: DesiredChain, nf_id: str, last: NfFigures) -> str:
        """In the place of a process that has ended. `last`: its figures as they were last seen."""
        entry = self._record.chains[chain.chain]
        former = next(nf for nf in entry.nfs if nf.nf_id == nf_id)
        ended = how_it_ended(former.process.running) if former.process.running is not None else _not_there(former)
        self._folder.end(former.process)
        before = former.before + last
        again = former.model_copy(update={"starts": former.starts + 1, "exit": ended, "before": before})
        self._record.put_nf(chain.chain, again)
        self._open_nf(self._record.chains[chain.chain], next(nf for nf in chain.nfs if nf.nf_id == nf_id))
        return f"restarted {nf_id} ({ended})"

    def move(self, chain: str, nf_id: str, core: int) -> str:
        """Its process stays."""
        nf = next(nf for nf in self._record.chains[chain].nfs if nf.nf_id == nf_id)
        if nf.in_kernel:  # the kernel works on its packets where they come
            self._record.put_nf(chain, nf.model_copy(update={"core": core}))
            return f"noted core {core} for {nf_id}, which is in the kernel"
        if nf.process.pid is None or not nf.process.alive:
            raise DriverError(f"{nf_id} has ended")
        pin(nf.process.pid, core)
        self._record.put_nf(chain, nf.model_copy(update={"core": core}))
        return f"moved {nf_id} to core {core}"

    def set_source(self, chain: DesiredChain) -> str:
        """Other traffic, or the same at another rate; a chain that is paused stays so."""
        entry = self._record.chains[chain.chain]
        given = source_of(chain) | ({"rate_mpps": 0.0} if entry.paused else {})
        self._record.put(entry.model_copy(update={"source": "unknown"}))
        if entry.packet_source is not None:
            self._ask(entry.packet_source, "set_source", source=given)
        taken = {"source": fingerprint(chain).source, "rate_mpps": chain.traffic.rate_mpps}
        self._record.put(entry.model_copy(update=taken))
        return f"changed the traffic of {chain.chain} to {chain.traffic.rate_mpps} Mpps"

    def pause(self, name: str, *, paused: bool) -> str:
        """By its rate."""
        entry = self._record.chains[name]
        if entry.packet_source is not None:
            self._ask(entry.packet_source, "set_rate", rate_mpps=0.0 if paused else entry.rate_mpps)
        self._record.put(entry.model_copy(update={"paused": paused}))
        return f"{'paused' if paused else 'resumed'} {name}"

    def configure(self, chain: DesiredChain, nf: DesiredNf) -> str:
        """What it takes up while it runs. What is in force is not known until that is answered: whoever comes after an
        agent that died meanwhile asks again."""
        entry = self._record.chains[chain.chain]
        held = next(one for one in entry.nfs if one.nf_id == nf.nf_id)
        self._record.put(entry.model_copy(update={"configs": {**entry.configs, nf.nf_id: "unknown"}}))
        if held.in_kernel:
            self._change_rules(entry, nf)
        else:
            self._ask(held.process, "configure_nf", config=resolved(nf.config, self._secrets))
        configs = {**entry.configs, nf.nf_id: fingerprint(chain).configs[nf.nf_id]}
        self._record.put(self._record.chains[chain.chain].model_copy(update={"configs": configs}))
        return f"changed {', '.join(changeable_of(nf.nf_type, nf.config))} of {nf.nf_id} while it runs"

    def clear(self, found: Mapping[str, set[str]]) -> list[str]:
        """Take apart what the daemon has and no entry names, since an agent died in between: `found` has its chains and
        NFs."""
        known = {nf.nf_id for entry in self._record.chains.values() for nf in entry.nfs}
        strange = [
            *({"nf_id": nf_id} for nf_id in sorted(found["nfs"] - known)),
            *({"chain": name} for name in sorted(found["chains"] - self._record.chains.keys())),
        ]
        for one in strange:
            with suppress(LineRefused):
                self._daemon.ask(LineAnswer, "remove", ANSWER_TIMEOUT_S, **one)
        return [name for one in strange for name in one.values()]

    def _path_of(self, chain: DesiredChain) -> ChainPath:
        taken = {entry.path.tag: entry.chain for entry in self._record.chains.values()}
        path = path_of(chain, self._place.locator, free_tag(taken), self._place.mtu)
        if path.tag in taken:
            raise DriverError(f"tag {path.tag} is {taken[path.tag]}'s on this host", permanent=True)
        return path

    def _new_entry(self, chain: DesiredChain, path: ChainPath) -> ChainEntry:
        nfs = [NfEntry(nf_id=nf.nf_id, nf_type=nf.runs, core=nf.core, process=self._new_process()) for nf in chain.nfs]
        return ChainEntry(
            chain=chain.chain, structure="", source="", instance=self._record.number(), path=path, paused=chain.paused,
            rate_mpps=chain.traffic.rate_mpps, nfs=tuple(nfs),
            packet_source=self._new_process() if path.enters else None,
            sink=self._new_process() if path.leaves else None,
        )  # fmt: skip

    def _new_process(self) -> ProcessEntry:
        return ProcessEntry(number=self._record.number())

    def _open_exit(self, entry: ChainEntry, sink: ProcessEntry) -> None:
        given = {"chain": entry.chain, "tag": entry.path.tag, "sid": str(entry.path.segments[-1].sid)}
        _, descriptor = self._daemon.ask_for_descriptor(Opened, "add_exit", **given, mtu=self._place.mtu)
        started = self._folder.start(sink, [str(self._place.program("sink"))], descriptor)
        self._put(entry.chain, sink=started)
        self._folder.await_ready(started, f"the sink of {entry.chain}")

    def _open_nf(self, entry: ChainEntry, nf: DesiredNf) -> None:
        place = next(at for at, segment in enumerate(entry.path.segments) if segment.nf_id == nf.nf_id)
        given: dict[str, object] = {
            "nf_id": nf.nf_id, "tag": entry.path.tag, "sid": str(entry.path.segments[place].sid),
        }  # fmt: skip
        given |= {"device": device_of(place), "mtu": self._place.mtu}
        if nf.runs in IN_KERNEL:
            self._open_firewall(entry, nf, given)
            return
        _, descriptor = self._daemon.ask_for_descriptor(Opened, "add_nf", **given)
        command = [str(self._place.program("nf")), "--type", nf.runs]
        process = self._folder.start(
            self._new_process(), command, descriptor, config=resolved(nf.config, self._secrets)
        )
        held = next(one for one in entry.nfs if one.nf_id == nf.nf_id)
        self._record.put_nf(entry.chain, held.model_copy(update={"process": process, "core": nf.core}))
        ready = self._folder.await_ready(process, nf.nf_id)
        pin(ready.pid, nf.core)

    def _open_firewall(self, entry: ChainEntry, nf: DesiredNf, given: dict[str, object]) -> None:
        """Its rules, in one step, in the place of those that are there. It has no secrets."""
        held = next(one for one in entry.nfs if one.nf_id == nf.nf_id)
        again = held.model_copy(update={"process": self._new_process(), "core": nf.core, "rules_since": None})
        self._record.put_nf(entry.chain, again)
        if unknown := sorted(nf.config.keys() - _RULES):
            raise DriverError(f"{nf.nf_id} does not start: config.{unknown[0]}: unknown setting", permanent=True)
        try:
            self._daemon.ask(LineAnswer, "add_firewall", ANSWER_TIMEOUT_S, **given, **_rules_of(entry, nf))
        except LineRefused as error:
            raise _refused(f"{nf.nf_id} does not start", error) from error
        self._record.put_nf(entry.chain, again.model_copy(update={"rules_since": datetime.now(UTC)}))

    def _change_rules(self, entry: ChainEntry, nf: DesiredNf) -> None:
        """In one step, while packets pass; what was counted of all of them together is counted on. Where they are
        refused the former ones stay in force."""
        held = next(one for one in entry.nfs if one.nf_id == nf.nf_id)
        self._record.put_nf(entry.chain, held.model_copy(update={"rules_since": None}))
        try:
            self._daemon.ask(LineAnswer, "set_rules", ANSWER_TIMEOUT_S, nf_id=nf.nf_id, **_rules_of(entry, nf))
        except LineRefused as error:
            if error.code == "not-found":
                raise _refused(f"{nf.nf_id} cannot change its rules now", error) from error
            self._record.put(entry)
            raise _refused(f"{nf.nf_id} keeps its former rules", error) from error
        self._record.put_nf(entry.chain, held.model_copy(update={"rules_since": datetime.now(UTC)}))

    def _open_edge(self, entry: ChainEntry, source: ProcessEntry, chain: DesiredChain) -> None:
        opened, descriptor = self._daemon.ask_for_descriptor(Opened, "add_edge", chain=chain.chain, mtu=self._place.mtu)
        path = entry.path
        try:
            self._daemon.ask(
                LineAnswer, "set_path", chain=chain.chain, tag=path.tag, source=str(path.source),
                segments=[str(segment.sid) for segment in path.segments], mtu=path.mtu,
            )  # fmt: skip
            spec = source_of(chain) | ({"rate_mpps": 0.0} if chain.paused else {})
            command = [str(self._place.program("source")), "--chain", json.dumps(spec), "--to", opened.mac]
        except BaseException:
            os.close(descriptor)
            raise
        started = self._folder.start(source, command, descriptor)
        self._put(entry.chain, packet_source=started)
        self._folder.await_ready(started, f"the source of {entry.chain}")

    def _put(self, chain: str, **changes: ProcessEntry) -> None:
        self._record.put(self._record.chains[chain].model_copy(update=changes))

    def _take_apart(self, name: str) -> None:
        """What there is of it, whole or not."""
        entry = self._record.chains[name]
        for process in entry.processes:
            self._folder.end(process)
        asked: list[tuple[str, dict[str, Any]]] = [("remove", {"chain": name})]
        asked += [("remove", {"nf_id": nf.nf_id}) for nf in entry.nfs]
        for op, fields in asked:
            with suppress(LineRefused):  # it is not there
                self._daemon.ask(LineAnswer, op, ANSWER_TIMEOUT_S, **fields)
        self._ways.remove(entry.path)
        self._record.forget(name)

    def _ask(self, process: ProcessEntry, op: str, **fields: object) -> None:
        self._folder.ask(process, LineAnswer, op, ANSWER_TIMEOUT_S, **fields)


def _rules_of(entry: ChainEntry, nf: DesiredNf) -> dict[str, object]:
    """As the daemon is asked for them."""
    return {setting: nf.config.get(setting) for setting in _RULES} | {"segments": len(entry.path.segments)}


def _refused(what: str, error: LineRefused) -> DriverError:
    unfit = error.code == "bad-request"
    return DriverError(f"{what}: {'config: ' if unfit else ''}{error}", permanent=unfit)


def _not_there(nf: NfEntry) -> str:
    return "its rules had gone" if nf.in_kernel else "it was not started"
