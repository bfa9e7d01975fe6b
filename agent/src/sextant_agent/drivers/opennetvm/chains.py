"""Chains of an order as NFs under managers: which manager, which services and ids, and what is done when one dies.

A manager's packets enter service 1, and an NF hands packets to the service that it was started with (`-d`): a chain is
started from its end, and a manager feeds one chain.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.opennetvm.programs import MAX_SERVICE

from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.control.running import how_it_ended
from sextant_agent.drivers.opennetvm.counting import Counting
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.nf_process import (
    await_empty,
    await_ready,
    end_nfs,
    pin,
    remove_folders,
    start_nf,
)
from sextant_agent.drivers.opennetvm.placing import (
    WAY_OUT_ID,
    ChainPosition,
    check_cpu,
    lcore_of,
    lcores_of,
    manager_of,
    places_of,
)
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, NfEntry, ProcessRegistry

FIRST_SERVICE = 1


class Chains:
    """Changes them. Safe for several threads with a chain each: who gets which manager is chosen by one at a time."""

    def __init__(
        self, installation: OpenNetVmInstallation, managers: Mapping[str, Manager], registry: ProcessRegistry,
        counting: Counting, node_of: Mapping[int, int],
    ) -> None:  # fmt: skip
        self._installation = installation
        self._managers = managers
        self._registry = registry
        self._counting = counting
        self._node_of = node_of
        self._choosing = threading.Lock()

    def add(self, chain: DesiredChain) -> str:
        """Start all of it. Raises DriverError, and then nothing of it is left."""
        name = chain.chain
        with self._choosing:
            manager = self._manager_for(chain)
            places = self._places(chain)
            lived_enough = manager.is_worn(len(places)) or manager.entry.dead or manager.hangs()
            changed = manager.changes(_types(chain))
            entry = ChainEntry(
                chain=name, manager=manager.name, structure="", source="",
                instance=self._registry.new_instance(), nfs=_numbered(places, manager.place),
            )  # fmt: skip
            self._registry.put_chain(entry)
        try:
            if lived_enough or changed:  # the dead keep services that are given again
                manager.end()
            manager.ensure()
            self._start(name, range(len(places)), places)
            self._counting.begin(name)
        except Exception:
            self._take_down(name, with_manager=True)
            raise
        self._note(chain)
        return f"added {name}, {len(chain.nfs)} NFs under the manager of {manager.place.port}"

    def remove(self, name: str) -> str:
        """All of it, and its manager, which no other chain has."""
        entry = self._registry.chains[name]
        self._take_down(name, with_manager=True)
        remove_folders(self._managers[entry.manager], entry.nfs)
        return f"removed {name}"

    def replace(self, chain: DesiredChain) -> str:
        """Its manager stays, if it is the same, not worn out, and as opennetvm.toml says now. What cannot run here
        leaves what runs as it is. Where nothing is wrong but that its way out has died, that is repaired."""
        entry = self._registry.chains[chain.chain]
        held = self._managers[entry.manager]
        if entry.structure == fingerprint(chain).structure and held.alive and _way_out_died(entry):
            return self.restart(chain, WAY_OUT_ID) or f"{chain.chain} has its way out"
        return self._replace_all(chain)

    def _replace_all(self, chain: DesiredChain) -> str:
        entry = self._registry.chains[chain.chain]
        held = self._managers[entry.manager]
        self._places(chain)
        away = self._manager_for(chain) is not held or bool(held.changes(_types(chain)))
        self._take_down(chain.chain, with_manager=away)
        remove_folders(held, entry.nfs)
        return f"removed {chain.chain}; {self.add(chain)}"

    def note_traffic(self, chain: DesiredChain) -> str:
        """Packets come from a port; what an order says of them is what was planned with."""
        entry = self._registry.chains[chain.chain]
        self._registry.put_chain(entry.model_copy(update={"source": fingerprint(chain).source}))
        return f"noted the traffic expected of {chain.chain}: what enters is what arrives at the port"

    def restart(self, chain: DesiredChain, nf_id: str) -> str | None:
        """Bring back an NF that died, and with it those that must be started again. None where that has been done.

        The dead one keeps its place in its service for ever, and would be given a share of the packets: who fills its
        place gets a service of its own, and so whoever hands packets to it is started again. Service 1 cannot
        change, so that its death, and a manager's, is the end of the manager's life.
        """
        entry = self._registry.chains[chain.chain]
        manager = self._managers[entry.manager]
        lives = manager.alive and not manager.hangs()
        late = [number for number, nf in enumerate(entry.nfs) if lives and nf.alive and not nf.ready]
        for position in late:  # somebody who started them failed with another, or died
            self._await_one(chain.chain, position)
        entry = self._registry.chains[chain.chain]
        dead = [number for number, nf in enumerate(entry.nfs) if not nf.alive]
        if not dead and lives:
            return f"waited until {nf_id} was ready" if late else None
        how = _ends(entry, dead)
        entry = self._note_ends(entry, dead)
        if dead and lives:
            manager.packets.nf_died()
        last = max(dead, default=0)
        first_is_lost = 0 in dead and (entry.nfs[0].running is not None or manager.serves(FIRST_SERVICE))
        if not lives or first_is_lost:
            return self._start_over(entry, manager, chain, how)
        places = places_of(chain, manager.settings, manager.place)
        end_nfs(manager, entry.nfs[: last + 1])
        self._counting.fold(entry, range(last + 1))
        services_left = MAX_SERVICE - max(nf.service for nf in entry.nfs)
        if manager.is_worn(last + 1) or services_left < last:
            return self._start_over(self._registry.chains[chain.chain], manager, chain, how)
        self._renumber(self._registry.chains[chain.chain], range(last + 1))
        self._start(chain.chain, range(last + 1), places)
        return f"restarted {nf_id} ({how}) with {last} NFs before it"

    def move(self, chain: DesiredChain, nf_id: str, cpu: int) -> str:
        """Its packet thread, or across NUMA nodes an instance more, so that its memory is of the new node."""
        entry = self._registry.chains[chain.chain]
        manager = self._managers[entry.manager]
        check_cpu(nf_id, cpu, manager.place)
        nf = next(nf for nf in entry.nfs if nf.nf_id == nf_id)
        if self._node_of.get(nf.cpu) == self._node_of.get(cpu):
            pin(nf, cpu)
            self._registry.put_nf(chain.chain, nf.model_copy(update={"cpu": cpu}))
            return f"moved the packet thread of {nf_id} to core {cpu}"
        return self._shift(entry, manager, chain, nf, cpu)

    def _shift(self, entry: ChainEntry, manager: Manager, chain: DesiredChain, nf: NfEntry, cpu: int) -> str:
        """Start on the other node, let both have packets, end the first; OpenNetVM carries no state over.

        The new one is written down once the first has ended: an agent that dies before finds the first where it was,
        ends the other, which no entry names, and moves it again.
        """
        position = entry.nfs.index(nf)
        if manager.is_worn(1):
            return self._start_over(entry, manager, chain, "it was worn out")
        places = places_of(chain, manager.settings, manager.place)
        lcore = lcore_of(nf.nf_id, cpu, manager.place, [other.lcore for other in entry.nfs])
        fresh = nf.model_copy(
            update={"cpu": cpu, "lcore": lcore, "instance": manager.give_instance(), "pid": None, "ready": False}
        )
        after = entry.nfs[position + 1].service if position + 1 < len(entry.nfs) else None
        fresh = start_nf(manager, fresh, places[position].program, after)
        fresh = await_ready(manager, fresh)
        await_empty(manager, [nf])  # what waits in its ring is lost with it
        end_nfs(manager, [nf])
        self._counting.fold(entry, [position])
        folded = next(held for held in self._registry.chains[entry.chain].nfs if held.nf_id == nf.nf_id)
        self._registry.put_nf(entry.chain, fresh.model_copy(update={"before": folded.before}))
        return (
            f"moved {nf.nf_id} to core {cpu} on another NUMA node: a new process took over, without the old one's state"
        )

    def _start_over(self, entry: ChainEntry, manager: Manager, chain: DesiredChain, how: str) -> str:
        """With another life of its manager, and so by what opennetvm.toml says now. What that does not let run is left
        as it is."""
        places = self._places(chain)
        stays = self._manager_for(chain) is manager and [place.nf_id for place in places] == _nf_ids(entry)
        if not stays:  # other NFs than before, or another manager
            return self._replace_all(chain)
        note = manager.exit_reason() or (f"it {manager.hang()}" if manager.hangs() else how)
        everything = range(len(entry.nfs))
        _drain(manager, entry.nfs)
        self._counting.fold(entry, everything)
        manager.stop()
        ended = manager.ended(f"the manager of {manager.place.port} was started again: {note}")
        self._counting.leave_manager(entry.chain, ended)
        self._renumber(self._registry.chains[entry.chain], everything, lcores_of(places, manager.place))
        manager.ensure()
        self._start(entry.chain, everything, places)
        return f"restarted {entry.chain} with its manager ({note})"

    def _take_down(self, name: str, *, with_manager: bool) -> None:
        """The chain is forgotten last: whoever dies on the way finds it again, and ends the rest."""
        entry = self._registry.chains[name]
        manager = self._managers[entry.manager]
        _drain(manager, entry.nfs)
        if with_manager:
            manager.end()
        self._registry.forget_chain(name)
        self._counting.forget(name)

    def _start(self, name: str, positions: Iterable[int], places: Sequence[ChainPosition]) -> None:
        """From the end. All but the first together: packets come once all others are ready."""
        wanted = sorted(positions, reverse=True)
        for group in (wanted[:-1], wanted[-1:]):
            for position in group:
                self._start_one(name, position, places)
            for position in group:
                self._await_one(name, position)

    def _start_one(self, name: str, position: int, places: Sequence[ChainPosition]) -> None:
        entry = self._registry.chains[name]
        manager, nf = self._managers[entry.manager], entry.nfs[position]
        after = entry.nfs[position + 1].service if position + 1 < len(entry.nfs) else None
        fresh = nf.model_copy(update={
            "instance": manager.give_instance(), "pid": None, "ready": False, "starts": nf.starts + 1,
            "cpu": places[position].cpu,
        })  # fmt: skip
        self._registry.put_nf(name, fresh, ahead=True)
        self._registry.put_nf(name, start_nf(manager, fresh, places[position].program, after))

    def _await_one(self, name: str, position: int) -> None:
        entry = self._registry.chains[name]
        manager = self._managers[entry.manager]
        self._registry.put_nf(name, await_ready(manager, entry.nfs[position]))

    def _renumber(self, entry: ChainEntry, positions: Iterable[int], lcores: Sequence[int] | None = None) -> None:
        """Services that no NF of this life of the manager has had; the first keeps its own. With lcores: a new life."""
        highest = max(nf.service for nf in entry.nfs) if lcores is None else FIRST_SERVICE
        nfs = list(entry.nfs)
        for position in sorted(positions):
            highest += position > 0
            changes = {"service": highest if position else FIRST_SERVICE}
            nfs[position] = nfs[position].model_copy(
                update=changes if lcores is None else changes | {"lcore": lcores[position]}
            )
        self._registry.put_chain(entry.model_copy(update={"nfs": tuple(nfs)}))

    def _note_ends(self, entry: ChainEntry, dead: Sequence[int]) -> ChainEntry:
        nfs = list(entry.nfs)
        for position in dead:
            running = nfs[position].running
            ended = "it did not start" if running is None else how_it_ended(running)
            nfs[position] = nfs[position].model_copy(update={"exit": ended})
        return self._registry.put_chain(entry.model_copy(update={"nfs": tuple(nfs)}))

    def _note(self, chain: DesiredChain) -> None:
        given = fingerprint(chain)
        entry = self._registry.chains[chain.chain]
        self._registry.put_chain(entry.model_copy(update={"structure": given.structure, "source": given.source}))

    def _manager_for(self, chain: DesiredChain) -> Manager:
        return self._managers[self._place_for(chain).name]

    def _place_for(self, chain: DesiredChain) -> ManagerPlace:
        held = {entry.manager: entry.chain for entry in self._others(chain)}
        return manager_of(chain, self._installation, held)

    def _others(self, chain: DesiredChain) -> list[ChainEntry]:
        return [entry for entry in self._registry.chains.values() if entry.chain != chain.chain]

    def _places(self, chain: DesiredChain) -> list[ChainPosition]:
        """By what opennetvm.toml says now. Raises DriverError, also where a chain that runs by something else is in the
        way."""
        place = self._place_for(chain)
        places = places_of(chain, self._installation, place)
        cpus = {one.cpu for one in places if one.nf_id != WAY_OUT_ID}
        for other in self._others(chain):
            manager = self._managers.get(other.manager)
            if manager is None or not manager.alive:
                continue
            in_the_way = [nf.cpu for nf in other.nfs if nf.alive and nf.nf_id != WAY_OUT_ID and nf.cpu in cpus]
            if in_the_way or (place.shared and manager.place.shared):
                what = f"core {in_the_way[0]}" if in_the_way else "the place of this host's only shared manager"
                raise DriverError(
                    f"{other.chain} holds {what} by former settings of opennetvm.toml: `sextant-agent"
                    f" take-over {other.chain}` restarts it with the present ones"
                )
        return places


def _drain(manager: Manager, nfs: Sequence[NfEntry]) -> None:
    """End all: first what packets enter by, and the others once they have worked off what waits in their rings."""
    end_nfs(manager, nfs[:1])
    await_empty(manager, nfs[1:])
    end_nfs(manager, nfs[1:])


def _types(chain: DesiredChain) -> frozenset[str]:
    """As `Manager.changes` asks for them: with a way out, whether there is one or not."""
    return frozenset((*(nf.runs for nf in chain.nfs), ""))


def _nf_ids(entry: ChainEntry) -> list[str]:
    return [nf.nf_id for nf in entry.nfs]


def _way_out_died(entry: ChainEntry) -> bool:
    last = entry.nfs[-1]
    return last.nf_id == WAY_OUT_ID and last.running is not None and not last.alive


def _ends(entry: ChainEntry, dead: Sequence[int]) -> str:
    reported = [
        f"{nf.nf_id}: {how_it_ended(nf.running)}" for nf in (entry.nfs[number] for number in dead) if nf.running
    ]
    return "; ".join(reported) or "nothing of it ran"


def _numbered(places: Sequence[ChainPosition], manager: ManagerPlace) -> tuple[NfEntry, ...]:
    """Not started yet: services in order from the first."""
    return tuple(
        NfEntry(
            nf_id=place.nf_id,
            nf_type=place.nf_type,
            cpu=place.cpu,
            instance=0,
            service=FIRST_SERVICE + number,
            lcore=lcore,
        )
        for number, (place, lcore) in enumerate(zip(places, lcores_of(places, manager), strict=True))
    )
