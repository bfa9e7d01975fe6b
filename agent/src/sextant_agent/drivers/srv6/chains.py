"""Chains and their parts, put together and taken apart in the order in which no packet meets half of one."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.secret import SecretValues, resolved
from sextant_domain.hosts.desired import DesiredChain, DesiredNf

from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.control.ordered_source import source_of
from sextant_agent.control.running import how_it_ended
from sextant_agent.drivers.srv6.answers import NfFigures, Opened
from sextant_agent.drivers.srv6.inventory import NF_TYPES
from sextant_agent.drivers.srv6.local_path import LocalPath, device_of, free_tag, local_path
from sextant_agent.drivers.srv6.place import Srv6Place
from sextant_agent.drivers.srv6.processes import ProcessFolder, pin
from sextant_agent.drivers.srv6.record import ChainEntry, NfEntry, ProcessEntry, Srv6Record
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S, LineAnswer, LineClient, LineError, LineRefused

DRAIN_S = 0.2
"""From the last packet that entered until nothing more comes out: far more than the longest queue takes."""


class Chains:
    """Of one host. Not safe for several threads. Raises DriverError, and LineError where daemon or process is not there
    to answer."""

    def __init__(
        self, place: Srv6Place, daemon: LineClient, record: Srv6Record, folder: ProcessFolder, secrets: SecretValues
    ) -> None:
        self._place, self._daemon, self._record, self._folder = place, daemon, record, folder
        self._secrets = secrets

    def add(self, chain: DesiredChain) -> str:
        """All of it or nothing: from its end to its begin, so that whatever enters finds the whole way."""
        unknown = sorted({nf.runs for nf in chain.nfs} - NF_TYPES)
        if unknown:
            raise DriverError(f"this host has no program for {', '.join(unknown)}", permanent=True)
        tag = free_tag({entry.tag for entry in self._record.chains.values()})
        path = local_path(self._place.locator, tag, [nf.nf_id for nf in chain.nfs])
        entry = self._record.put(self._new_entry(chain, tag))
        try:
            self._open_exit(entry, path)
            for place, nf in enumerate(chain.nfs):
                self._open_nf(entry, nf, place, path)
            for sid in path.segments:
                self._daemon.ask(LineAnswer, "set_way", tag=tag, sid=str(sid), local=True)
            self._open_edge(entry, chain, path)
            taken = fingerprint(chain)
            given = {"structure": taken.structure, "source": taken.source, "configs": dict(taken.configs)}
            self._record.put(self._record.chains[chain.chain].model_copy(update=given))
        except (DriverError, LineError):
            self._take_apart(chain.chain)
            raise
        return f"added {chain.chain}, {len(chain.nfs)} NFs"

    def remove(self, name: str) -> str:
        """Nothing enters any more, what is within comes out, and then all of it goes."""
        entry = self._record.chains[name]
        self._record.put(entry.model_copy(update={"structure": ""}))  # whoever comes after us takes it apart, too
        self._folder.end(entry.packet_source)
        with suppress(LineRefused):
            self._daemon.ask(LineAnswer, "remove", chain=name, kind="edge")
        time.sleep(DRAIN_S)
        self._take_apart(name)
        return f"removed {name}"

    def restart(self, chain: DesiredChain, nf_id: str, last: NfFigures) -> str:
        """In the place of a process that has ended. `last`: its figures as they were last seen."""
        entry = self._record.chains[chain.chain]
        place, former = next((at, nf) for at, nf in enumerate(entry.nfs) if nf.nf_id == nf_id)
        ended = how_it_ended(former.process.running) if former.process.running is not None else "it was not started"
        self._folder.end(former.process)
        before = former.before + last
        again = former.model_copy(update={"starts": former.starts + 1, "exit": ended, "before": before})
        self._record.put_nf(chain.chain, again)
        path = local_path(self._place.locator, entry.tag, [nf.nf_id for nf in entry.nfs])
        self._open_nf(self._record.chains[chain.chain], chain.nfs[place], place, path)
        return f"restarted {nf_id} ({ended})"

    def move(self, chain: str, nf_id: str, core: int) -> str:
        """Its process stays."""
        nf = next(nf for nf in self._record.chains[chain].nfs if nf.nf_id == nf_id)
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
        self._ask(entry.packet_source, "set_source", source=given)
        taken = {"source": fingerprint(chain).source, "rate_mpps": chain.traffic.rate_mpps}
        self._record.put(entry.model_copy(update=taken))
        return f"changed the traffic of {chain.chain} to {chain.traffic.rate_mpps} Mpps"

    def pause(self, name: str, *, paused: bool) -> str:
        """By its rate."""
        entry = self._record.chains[name]
        self._ask(entry.packet_source, "set_rate", rate_mpps=0.0 if paused else entry.rate_mpps)
        self._record.put(entry.model_copy(update={"paused": paused}))
        return f"{'paused' if paused else 'resumed'} {name}"

    def configure(self, chain: DesiredChain, nf: DesiredNf) -> str:
        """What it takes up while it runs."""
        entry = self._record.chains[chain.chain]
        process = next(one.process for one in entry.nfs if one.nf_id == nf.nf_id)
        self._record.put(entry.model_copy(update={"configs": {**entry.configs, nf.nf_id: "unknown"}}))
        self._ask(process, "configure_nf", config=resolved(nf.config, self._secrets))
        configs = {**entry.configs, nf.nf_id: fingerprint(chain).configs[nf.nf_id]}
        self._record.put(entry.model_copy(update={"configs": configs}))
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

    def _new_entry(self, chain: DesiredChain, tag: int) -> ChainEntry:
        nfs = [NfEntry(nf_id=nf.nf_id, nf_type=nf.runs, core=nf.core, process=self._new_process()) for nf in chain.nfs]
        return ChainEntry(
            chain=chain.chain, structure="", source="", instance=self._record.number(), tag=tag, paused=chain.paused,
            rate_mpps=chain.traffic.rate_mpps, nfs=tuple(nfs), packet_source=self._new_process(),
            sink=self._new_process(),
        )  # fmt: skip

    def _new_process(self) -> ProcessEntry:
        return ProcessEntry(number=self._record.number())

    def _open_exit(self, entry: ChainEntry, path: LocalPath) -> None:
        given = {"chain": entry.chain, "tag": entry.tag, "sid": str(path.exit), "mtu": self._place.mtu}
        _, descriptor = self._daemon.ask_for_descriptor(Opened, "add_exit", **given)
        sink = self._folder.start(entry.sink, [str(self._place.program("sink"))], descriptor)
        self._put(entry.chain, sink=sink)
        self._folder.await_ready(sink, f"the sink of {entry.chain}")

    def _open_nf(self, entry: ChainEntry, nf: DesiredNf, place: int, path: LocalPath) -> None:
        given = {"nf_id": nf.nf_id, "tag": entry.tag, "sid": str(path.segments[place]), "device": device_of(place)}
        _, descriptor = self._daemon.ask_for_descriptor(Opened, "add_nf", **given, mtu=self._place.mtu)
        command = [str(self._place.program("nf")), "--type", nf.runs]
        held = entry.nfs[place]
        process = self._folder.start(
            self._new_process(), command, descriptor, config=resolved(nf.config, self._secrets)
        )
        self._record.put_nf(entry.chain, held.model_copy(update={"process": process, "core": nf.core}))
        ready = self._folder.await_ready(process, nf.nf_id)
        pin(ready.pid, nf.core)

    def _open_edge(self, entry: ChainEntry, chain: DesiredChain, path: LocalPath) -> None:
        opened, descriptor = self._daemon.ask_for_descriptor(Opened, "add_edge", chain=chain.chain, mtu=self._place.mtu)
        try:
            segments = [str(sid) for sid in path.segments]
            self._daemon.ask(
                LineAnswer, "set_path", chain=chain.chain, tag=path.tag, source=str(self._place.source),
                segments=segments, mtu=self._place.mtu,
            )  # fmt: skip
            spec = source_of(chain) | ({"rate_mpps": 0.0} if chain.paused else {})
            command = [str(self._place.program("source")), "--chain", json.dumps(spec), "--to", opened.mac]
        except BaseException:
            os.close(descriptor)
            raise
        source = self._folder.start(entry.packet_source, command, descriptor)
        self._put(entry.chain, packet_source=source)
        self._folder.await_ready(source, f"the source of {entry.chain}")

    def _put(self, chain: str, **changes: ProcessEntry) -> None:
        self._record.put(self._record.chains[chain].model_copy(update=changes))

    def _take_apart(self, name: str) -> None:
        """What there is of it, whole or not."""
        entry = self._record.chains[name]
        for process in entry.processes:
            self._folder.end(process)
        path = local_path(self._place.locator, entry.tag, [nf.nf_id for nf in entry.nfs])
        asked: list[tuple[str, dict[str, Any]]] = [("remove", {"chain": name})]
        asked += [("remove", {"nf_id": nf.nf_id}) for nf in entry.nfs]
        asked += [("remove_way", {"tag": entry.tag, "sid": str(sid)}) for sid in path.segments]
        for op, fields in asked:
            with suppress(LineRefused):  # it is not there
                self._daemon.ask(LineAnswer, op, ANSWER_TIMEOUT_S, **fields)
        self._record.forget(name)

    def _ask(self, process: ProcessEntry, op: str, **fields: object) -> None:
        self._folder.ask(process, LineAnswer, op, **fields)
