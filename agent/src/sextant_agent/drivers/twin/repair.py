"""Each kind of difference as a change of what was given to a simulated host: pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from sextant_domain.chains.nf import changeable_of
from sextant_domain.hosts.desired import DesiredChain, DesiredNf

from sextant_agent.control.cpu_requests import in_words
from sextant_agent.control.differences import Difference, Kind
from sextant_agent.drivers.twin.orders import ChainLife

AllGiven = Mapping[str, ChainLife]
"""By chain."""


def repaired(
    gap: Difference, given: AllGiven, wanted: Mapping[str, DesiredChain], instance: int
) -> tuple[AllGiven, str]:
    """What is given once the difference is repaired, and what was done, for a person. `instance`: of a chain that is
    added. A restart changes nothing that was given."""
    name = gap.chain
    if gap.kind is Kind.REMOVE:
        return {key: each for key, each in given.items() if key != name}, f"removed {name}"
    chain = wanted[name]
    if gap.kind in {Kind.ADD, Kind.REPLACE}:
        done = f"added {name}, {len(chain.nfs)} NFs" if gap.kind is Kind.ADD else f"replaced {name}"
        return {**given, name: ChainLife(chain, instance)}, done
    old = given[name]
    changed, done = _changed(gap, old.chain, chain)
    return {**given, name: replace(old, chain=changed, pauses=old.pauses + (gap.kind is Kind.PAUSE))}, done


def _changed(gap: Difference, old: DesiredChain, new: DesiredChain) -> tuple[DesiredChain, str]:
    name = old.chain
    match gap.kind:
        case Kind.SOURCE:
            done = f"changed the traffic of {name} to {new.traffic.rate_mpps} Mpps"
            return old.model_copy(update={"traffic": new.traffic, "ingress": new.ingress}), done
        case Kind.PAUSE | Kind.RESUME:
            done = f"{'paused' if new.paused else 'resumed'} {name}"
            return old.model_copy(update={"paused": new.paused}), done
        case Kind.EXECUTION:
            done = f"changed the execution of {name} to {new.execution}"
            return old.model_copy(update={"execution": new.execution}), done
        case Kind.MOVE | Kind.CONFIGURE | Kind.RESOURCES | Kind.CPU:
            nf = next(nf for nf in new.nfs if nf.nf_id == gap.key)
            changes, done = _nf_changes(gap, nf)
            nfs = tuple(each.model_copy(update=changes) if each.nf_id == gap.key else each for each in old.nfs)
            return old.model_copy(update={"nfs": nfs}), done
        case Kind.RESTART:
            return old, f"restarted {gap.key}"
        case Kind.START | Kind.REMOVE | Kind.ADD | Kind.REPLACE:
            raise ValueError(f"{gap.kind} is no change of a chain that is there")
        case _:
            assert_never(gap.kind)


def _nf_changes(gap: Difference, nf: DesiredNf) -> tuple[dict[str, object], str]:
    match gap.kind:
        case Kind.MOVE:
            return {"core": nf.core, "slot": nf.slot}, f"moved {nf.nf_id} to core {nf.core}"
        case Kind.CONFIGURE:
            names = ", ".join(changeable_of(nf.nf_type, nf.config))
            return {"config": nf.config}, f"changed {names} of {nf.nf_id} while it runs"
        case Kind.CPU:
            done = f"gave {nf.nf_id} {in_words(nf)}"
            return {"cpu_share": nf.cpu_share, "cpu_quota_percent": nf.cpu_quota_percent}, done
        case _:
            ways, percent = nf.llc_ways, nf.memory_bandwidth_percent
            return {"llc_ways": ways, "memory_bandwidth_percent": percent}, gap.text.replace("giving", "gave", 1)
