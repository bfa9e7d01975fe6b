"""Shared cores of a host, from what is stored of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.hosts.host import Core
from sextant_domain.hosts.telemetry import NfSample, SharedCore
from sextant_domain.laws.shared_cores_view import SharingCore, SharingHost, SharingNf
from sextant_domain.profiling.host_cost import HostCost, HostCostFit
from sextant_domain.profiling.inflation import InflationModel
from sextant_domain.profiling.model import PerformanceModel
from sextant_engine.modelling.inflation_expected import Expected, StandingNf, expected_within
from sextant_engine.seats import CoreLayout, shared_cores

from sextant_backend.laws.coco.observe import Busy
from sextant_backend.laws.host_reading import HostRead, Rates
from sextant_backend.modules.sfc2cpu import policy
from sextant_backend.modules.sfc2cpu.policy import InForce


@dataclass(frozen=True)
class Known:
    """Of one host."""

    read: HostRead
    rates: Rates | None
    """None, as `busy`: nothing was measured lately."""
    busy: Busy | None
    divided: Mapping[int, SharedCore]
    """By core, what its agent said last."""
    models: Mapping[str, PerformanceModel]
    """By NF type, those promoted on its host model."""
    types: Mapping[str, NfType]
    """By name, those of its NFs."""
    stopped: str | None
    cost: HostCost | None
    """The newest version."""
    fitted: InflationModel | None
    """Its model."""
    fit: HostCostFit | None
    """The newest request to fit costs there."""
    network: InForce | None
    """For its number of cores."""


def host(known: Known) -> SharingHost:
    """Cores with more than one NF."""
    read, here = known.read, _by_core(known.read)
    shared = [core for core in read.inventory.cores if len(here.get(core.id, ())) > 1]
    expected = _expected(known)
    return SharingHost(
        host=read.inventory.host_id,
        provenance=None if known.rates is None else known.rates.provenance,
        measured_at=None if known.rates is None else known.rates.at,
        stopped=known.stopped,
        cost=known.cost,
        fit=known.fit,
        assigner=policy.offered(read.inventory.host_id, known.cost, known.network),
        assignable=shared_cores(CoreLayout.of(read.inventory)),
        cores=tuple(_core(known, core, here[core.id], expected) for core in shared),
    )


def _by_core(read: HostRead) -> dict[int, list[tuple[str, DesiredNf]]]:
    """By core, chains with their NFs there, by slot."""
    found: dict[int, list[tuple[str, DesiredNf]]] = {}
    for chain in read.content.chains:
        for nf in chain.nfs:
            found.setdefault(nf.core, []).append((chain.chain, nf))
    return {core: sorted(nfs, key=lambda one: one[1].slot) for core, nfs in found.items()}


def _core(known: Known, core: Core, nfs: list[tuple[str, DesiredNf]], expected: Mapping[str, Expected]) -> SharingCore:
    samples = () if known.busy is None else known.busy.cores
    busy = next((one.busy_percent / 100 for one in samples if one.core == core.id), None)
    bounded = {chain.chain for chain in known.read.content.chains if chain.share_bounds is not None}
    said = known.divided.get(core.id) if any(chain in bounded for chain, _ in nfs) else None
    shares = {} if said is None else {one.nf_id: one.percent for one in said.nfs}
    return SharingCore(
        core=core.id,
        node=core.node,
        slots=core.slots,
        busy=busy,
        divided=said is not None,
        law=None if said is None else said.law,
        held=None if said is None else said.held,
        changed=None if said is None else said.changed,
        nfs=tuple(_nf(known, chain, nf, shares.get(nf.nf_id), expected.get(nf.nf_id)) for chain, nf in nfs),
    )


def _expected(known: Known) -> Mapping[str, Expected]:
    """By NF, what a packet should take; nothing where what any of them takes alone, or its rate, is not known."""
    if known.fitted is None or known.busy is None:
        return {}
    node_of = {core.id: core.node for core in known.read.inventory.cores}
    chains = []
    for chain in known.read.content.chains:
        nfs = []
        for nf in chain.nfs:
            alone = alone_us(known.models.get(nf.nf_type), known.types.get(nf.nf_type), nf)
            sample = known.busy.nfs.get(nf.nf_id)
            if alone is None or sample is None:
                return {}
            load = alone * sample.rx_mpps
            nfs.append(StandingNf(nf.nf_id, nf.nf_type, alone, load, nf.core, node_of[nf.core]))
        chains.append(nfs)
    holding = known.cost if known.cost is not None and known.cost.drifted_at is None else None
    errors = (None, None) if holding is None else (holding.left_out_error, holding.held_out_error)
    return expected_within(known.fitted, chains, *errors)


def _nf(known: Known, chain: str, nf: DesiredNf, share: float | None, expected: Expected | None) -> SharingNf:
    sample = None if known.busy is None else known.busy.nfs.get(nf.nf_id)
    cost, alone = _cost_us(sample), alone_us(known.models.get(nf.nf_type), known.types.get(nf.nf_type), nf)
    return SharingNf(
        nf_id=nf.nf_id,
        chain=chain,
        nf_type=nf.nf_type,
        load=None if sample is None or sample.utilisation_percent is None else sample.utilisation_percent / 100,
        cost_us=cost,
        alone_us=alone,
        inflation=None if cost is None or alone is None else max(0.0, cost / alone - 1),
        expected_us=None if expected is None else expected.us,
        expected_low_us=None if expected is None else expected.low_us,
        expected_high_us=None if expected is None else expected.high_us,
        expected_guessed=expected is not None and expected.guessed,
        share_percent=share,
    )


def _cost_us(sample: NfSample | None) -> float | None:
    """A core has a million microseconds a second; Mpps are a million packets."""
    if sample is None or sample.utilisation_percent is None or sample.rx_mpps <= 0:
        return None
    return sample.utilisation_percent / 100 / sample.rx_mpps


def alone_us(model: PerformanceModel | None, nf_type: NfType | None, nf: DesiredNf) -> float | None:
    """What a packet takes of a core; a model says what the type does as it is by default, at the version that was
    profiled. None: not known."""
    if model is None or nf_type is None or not model.ideal_known or model.nf_version != nf.nf_version:
        return None
    return 1 / model.ideal_mpps.local if nf.config == nf_type.default_config() else None
