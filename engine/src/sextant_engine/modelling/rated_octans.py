"""Octans' equations with competitors at the rates at which they really go: `octans-rates`.

    drop = alpha llc + beta mem + c        (Octans, Eq. 9-11)
    llc, mem = sums of r^e / x over competitors, where Octans has 1 / x (Eq. 7)

r is the part of its ideal rate at which a competitor goes (`rates`), e is chosen on samples with rates, as for curves
(`rate_exponent`). NFs are profiled beside others that take all packets they can; in a chain they take what its slowest
NF lets through, and Octans' levels do not know that. Roles, metric, scale and the fit are Octans': a competitor at a
rate is a type of its own, which weighs r^e times what its type weighs. What a neighbour in its chain costs an NF that
no role covers (`handing`) comes on top, as with curves.

Rates of all chains of a host are at rest where each is what the others leave it, as in `settling`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain as joined
from statistics import fmean

from sextant_domain.profiling.job import PointPurpose, PointSetting, StandingNf
from sextant_domain.profiling.model import LocalRemote

from sextant_engine.modelling.handing import Neighbour, added_by, added_time, neighbours_of, part_left
from sextant_engine.modelling.levels import Weights, terms_of
from sextant_engine.modelling.octans import Equations, FittedOctans, Line, Octans
from sextant_engine.modelling.predictor import OF_OTHER_CONFIGURATIONS, Fitted, Profiles, Sample
from sextant_engine.modelling.rate_exponent import chosen_exponent
from sextant_engine.modelling.rates import Ideals, pressing_on, relative
from sextant_engine.modelling.settling import FedChain, steps_to_rest


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """Samples of some profiles that speak of rates or of none, with competitors at a rate as types of their own."""

    profiles: Profiles
    equations: Equations
    of_type: Mapping[str, tuple[str, float]]
    """By name of such a type: the NF type and its rate."""
    renamed: Mapping[int, PointSetting]
    """By id of the setting, which the profiles keep alive."""

    @classmethod
    def of(cls, profiles: Profiles) -> "_Read":
        of_type: dict[str, tuple[str, float]] = {}
        renamed: dict[int, PointSetting] = {}
        samples: dict[str, tuple[Sample, ...]] = {}
        for nf_type, found in profiles.samples.items():
            kept = [one for one in found if one.setting.purpose not in OF_OTHER_CONFIGURATIONS]
            kept = [one for one in kept if not neighbours_of(one.setting)]
            for one in kept:
                setting, names = _rated(one.setting, profiles.ideal)
                renamed[id(one.setting)] = setting
                of_type |= names
            samples[nf_type] = tuple(replace(one, setting=renamed[id(one.setting)]) for one in kept)
        return cls(profiles, Equations(replace(profiles, samples=samples)), of_type, renamed)

    def weights(self, weights: Weights, exponent: float) -> Weights:
        """Of types at a rate."""
        known = ((name, *one) for name, one in self.of_type.items() if one[0] in weights)
        return {name: weights[nf_type] * rate**exponent for name, nf_type, rate in known}

    def types(self, nf_types: frozenset[str]) -> frozenset[str]:
        """Those at any rate."""
        return frozenset(name for name, (nf_type, _) in self.of_type.items() if nf_type in nf_types)


class RatedOctans:
    """The predictor, not yet fitted. `weights`: 1 / x by NF type, of the metric and scale that Octans' are fitted with.

    It keeps what it read of the profiles that it saw last, and the exponent, which is chosen on all of their samples.
    """

    name = "octans-rates"

    def __init__(self, weights: Weights, exponent: float | None = None) -> None:
        self._weights, self._exponent = weights, exponent
        self._last: tuple[_Read, float, Octans] | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> "FittedRatedOctans":
        """As `Predictor`, but for the exponent."""
        if self._last is None or self._last[0].profiles is not profiles:
            read = _Read.of(profiles)
            exponent = self._chosen(read) if self._exponent is None else self._exponent
            self._last = read, exponent, Octans(read.equations, read.weights(self._weights, exponent))
        read, exponent, octans = self._last
        fitted = octans.fit(read.equations.profiles, without, read.types(without_types))
        left = profiles.are_left(without, without_types)
        return FittedRatedOctans(read, self._weights, exponent, fitted).with_handing(left)

    def _chosen(self, read: _Read) -> float:
        """By cross-validation over samples with rates, which are known by their point."""
        points = [one.point_id for one in read.profiles.every_sample() if one.setting.purpose is PointPurpose.RATES]
        rated = {point: number for number, point in enumerate(points)}
        samples = [one for one in read.equations.samples if one.point_id in rated]

        def errors_of(exponent: float, asked: Sequence[int]) -> list[float]:
            octans = Octans(read.equations, read.weights(self._weights, exponent))
            out = frozenset(samples[number].point_id for number in asked)
            fitted = octans.fit(read.equations.profiles, out)
            drops = ((samples[number], fitted.drop(samples[number].setting)) for number in asked)
            return [drop - one.drop for one, drop in drops if drop is not None]

        return chosen_exponent(range(len(samples)), lambda exponent, asked: iter(errors_of(exponent, asked)))


class FittedRatedOctans(Fitted):
    """Coefficients of Octans' equations, by NF type and side, for levels that know rates."""

    def __init__(
        self,
        read: _Read,
        weights: Weights,
        exponent: float,
        fitted: FittedOctans,
        handing: Mapping[str, Mapping[Neighbour, float]] | None = None,
    ) -> None:
        self._read, self._weights, self._fitted = read, weights, fitted
        self.exponent = exponent
        self._handing = handing or {}

    def drop(self, setting: PointSetting) -> float | None:
        """As `Fitted`; None for types that were not measured, and for bubbles and reporters."""
        by_levels, neighbours = self._by_levels(setting), neighbours_of(setting)
        if by_levels is None or not neighbours:
            return by_levels
        return 1 - part_left(by_levels, self._added(setting.subject.nf_type, neighbours))

    def at_rest(self, chains: Sequence[FedChain]) -> list[tuple[float, int]] | None:
        """Of each chain: what it carries, in Mpps, and the place of its slowest NF. None where an NF type, or an NF in
        its role, was not measured."""
        nfs = [
            self._placed(chains, number, place)
            for number, chain in enumerate(chains)
            for place in range(len(chain.nfs))
        ]
        known = [nf for nf in nfs if nf is not None]
        if len(known) < len(nfs):
            return None
        host = _Host([chain.offered_mpps for chain in chains], known, self.exponent)
        rates, _ = steps_to_rest(host, host.carried([0.0] * len(chains)))
        room = host.room(rates)
        of_chain = [[mpps for nf, mpps in zip(known, room, strict=True) if nf.chain == n] for n in range(len(chains))]
        slowest = [min(range(len(found)), key=found.__getitem__) for found in of_chain]
        return list(zip(rates, slowest, strict=True))

    def with_handing(self, left: Sequence[bool]) -> "FittedRatedOctans":
        """What levels leave unsaid of samples with one such neighbour: the mean of each kind."""
        found: dict[str, dict[Neighbour, list[float]]] = defaultdict(lambda: defaultdict(list))
        for sample, is_left in zip(self._read.profiles.every_sample(), left, strict=True):
            neighbours = neighbours_of(sample.setting)
            by_levels = self._by_levels(sample.setting) if is_left and len(neighbours) == 1 else None
            lost = None if by_levels is None else added_by(sample.drop, by_levels)
            if lost is not None:
                found[sample.setting.subject.nf_type][neighbours[0]].append(lost)
        means = {name: {one: fmean(lost) for one, lost in of.items()} for name, of in found.items()}
        return FittedRatedOctans(self._read, self._weights, self.exponent, self._fitted, means)

    def _added(self, nf_type: str, neighbours: Sequence[Neighbour]) -> float:
        return added_time(self._handing.get(nf_type, {}), neighbours)

    def _by_levels(self, setting: PointSetting) -> float | None:
        if setting.purpose in OF_OTHER_CONFIGURATIONS:
            return None
        known = self._read.renamed.get(id(setting))
        if known is not None:
            return self._fitted.drop(known)
        renamed, names = _rated(setting, self._read.profiles.ideal)
        if any(nf_type not in self._weights for nf_type, _ in names.values()):
            return None
        weights = {name: self._weights[nf_type] * rate**self.exponent for name, (nf_type, rate) in names.items()}
        levels = terms_of(renamed).at(weights)
        line = levels and self._line(setting.subject.nf_type, setting.local)
        return line.alpha * levels.llc + line.beta * levels.mem + line.c if levels and line else None

    def _line(self, nf_type: str, local: bool) -> Line | None:
        return self._fitted.coefficients.get((nf_type, "local" if local else "remote"))

    def _placed(self, chains: Sequence[FedChain], number: int, place: int) -> "_Nf | None":
        """With all other NFs of the host as competitors, each by its own number."""
        chain, nf = chains[number], chains[number].nfs[place]
        ideal: LocalRemote | None = self._read.profiles.ideal.get(nf.nf_type)
        line = self._line(nf.nf_type, nf.node == chain.ingress_node)
        if ideal is None or line is None or nf.nf_type not in self._weights:
            return None
        numbered = _numbered(chains)
        own = numbered[number]
        beside = (one for other, nfs in enumerate(numbered) if other != number for one in nfs)
        local, before, after = nf.node == chain.ingress_node, chain.nfs[: place + 1], chain.nfs[place + 1 :]
        whole = PointSetting(
            purpose=PointPurpose.LOCAL, ingress_node=chain.ingress_node, chain=before, downstream=after
        )
        standing = {"chain": tuple(own[: place + 1]), "downstream": (), "others": (*own[place + 1 :], *beside)}
        terms = terms_of(whole.model_copy(update=standing))
        return _Nf(
            chain=number,
            ideal=ideal.local if local else ideal.remote,
            weight=self._weights[nf.nf_type],
            line=line,
            added=self._added(nf.nf_type, neighbours_of(whole)),
            llc=None if terms.llc is None else [int(one) for one in terms.llc],
            mem=[int(one) for one in terms.mem],
        )


@dataclass(frozen=True, slots=True)
class _Nf:
    chain: int
    ideal: float
    weight: float
    line: Line
    added: float
    """By its neighbours in the chain, as a share of its time alone."""
    llc: Sequence[int] | None
    """Numbers of the NFs of the host that compete; None: the level is the constant 1."""
    mem: Sequence[int]


class _Host:
    """As `Carrying`: every NF's levels follow from the rates of all chains."""

    def __init__(self, offered: list[float], nfs: Sequence[_Nf], exponent: float) -> None:
        self._offered, self._nfs, self._exponent = offered, nfs, exponent
        self._full = self._under([nf.weight for nf in nfs])
        """Mpps of every NF if all went as fast as they can: so competitors are profiled."""

    def room(self, rates: Sequence[float]) -> list[float]:
        """Mpps of every NF with chains at those rates."""
        pairs = zip(self._nfs, self._full, strict=True)
        return self._under([nf.weight * relative(rates[nf.chain], full) ** self._exponent for nf, full in pairs])

    def carried(self, rates: Sequence[float]) -> list[float]:
        """Mpps of every chain."""
        found = list(self._offered)
        for nf, mpps in zip(self._nfs, self.room(rates), strict=True):
            found[nf.chain] = min(found[nf.chain], mpps)
        return found

    def _under(self, pressing: Sequence[float]) -> list[float]:
        found = []
        for nf in self._nfs:
            llc = 1.0 if nf.llc is None else sum(pressing[number] for number in nf.llc)
            mem = sum(pressing[number] for number in nf.mem)
            drop = nf.line.alpha * llc + nf.line.beta * mem + nf.line.c
            found.append(nf.ideal * part_left(drop, nf.added))
        return found


def _numbered(chains: Sequence[FedChain]) -> list[list[StandingNf]]:
    """NFs that are called by their number on the host."""
    numbers = iter(range(sum(len(chain.nfs) for chain in chains)))
    return [[_called(str(next(numbers)), nf) for nf in chain.nfs] for chain in chains]


def _rated(setting: PointSetting, ideals: Ideals) -> tuple[PointSetting, dict[str, tuple[str, float]]]:
    """The setting with competitors called by their types and rates; what each of those names means."""
    before, after = setting.chain[:-1], setting.downstream
    names: dict[str, tuple[str, float]] = {}
    called = []
    for nf, one in zip(joined(before, after, setting.others), pressing_on(setting, ideals), strict=True):
        name = f"{one.nf_type} at {one.rate:.9g}"
        names[name] = one.nf_type, one.rate
        called.append(_called(name, nf))
    own = (*called[: len(before)], setting.subject)
    purpose = PointPurpose.LOCAL if setting.local else PointPurpose.REMOTE
    changed = {"purpose": purpose, "chain": own, "downstream": (), "others": tuple(called[len(before) :])}
    return setting.model_copy(update=changed), names


def _called(name: str, nf: StandingNf) -> StandingNf:
    """A name that no NF type has: it is of no use to anybody else, and not checked."""
    return nf.model_copy(update={"nf_type": name})
