"""What VNFs cost beside others, fitted on what ran: the learned cost of sfc2cpu's calibrated assigner.

cycles beside / cycles alone - 1 = the sum over the others of coefficient x weight, plus hand-offs by cycles alone. The
coefficient is that of both kinds (sensitivity of the one, aggressiveness of the other), one for others on the same
core, one for those on other cores of the socket. The weight is the other's load alone, so that a model holds at other
rates; or 1, where that fits what was seen much better. A hand-off costs cycles by the distance of the neighbour in the
chain. All of it is linear in what is sought, which is never negative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear, nnls
from sextant_domain.profiling.inflation import HandOff, InflationModel

Floats = NDArray[np.float64]

MAX_KINDS = 32
LARGEST = 1e12
"""Of a coefficient."""
_ROUNDS = 4
_OUTLIER = 6.0
"""In medians of absolute residuals, scaled to a normal deviation: a burst that was pre-empted reads 2 to 4 times."""
_MUCH_BETTER = 0.8
"""By residual: then others weigh 1."""
_FOLDS = 5
_UPPER = 75
"""Percentile that stands for a kind that nobody measured."""


@dataclass(frozen=True)
class Ran:
    """What ran, by VNF: cycles alone, kinds; chains by index; and by placement and VNF its core and socket, its load
    alone (0: it did not run then), and its cycles as seen (NaN: not seen)."""

    cycles: Floats
    loads: Floats
    kinds: Sequence[str]
    chains: Sequence[Sequence[int]]
    cores: NDArray[np.int64]
    sockets: NDArray[np.int64]
    seen: Floats


def fit(ran: Ran) -> InflationModel:
    """The model whose weights agree better with what was seen; loads, unless presence is much better."""
    kinds = tuple(sorted(set(ran.kinds)))
    by_load = _fit(ran, kinds, "load")
    by_presence = _fit(ran, kinds, "presence")
    return by_presence[0] if by_presence[1] < _MUCH_BETTER * by_load[1] else by_load[0]


def _fit(ran: Ran, kinds: Sequence[str], weight: Literal["load", "presence"]) -> tuple[InflationModel, float]:
    """And its median residual, in cycles alone."""
    of = np.array([kinds.index(kind) for kind in ran.kinds])
    terms = _terms(ran, of, len(kinds), ran.loads if weight == "load" else (ran.loads > 0).astype(np.float64))
    seen = (ran.seen / ran.cycles - 1).ravel()
    receivers = np.tile(of, len(ran.seen))
    known = np.isfinite(seen)
    placements = np.repeat(np.arange(len(ran.seen)), len(of))[known]
    terms, seen, receivers = terms[known], seen[known], receivers[known]
    found = _non_negative(terms, seen)
    tables = found[: 2 * len(kinds) ** 2].reshape(2, len(kinds), len(kinds))
    met = (terms[:, : 2 * len(kinds) ** 2].sum(axis=0) > 0).reshape(tables.shape)
    core, socket = (_completed(table, seldom) for table, seldom in zip(tables, met, strict=True))
    residuals = np.abs(terms @ found - seen)
    relative = _relative(residuals, seen)
    errors = {"median": float(np.median(relative)), "p90": float(np.percentile(relative, 90))}
    later = _left_out(terms, seen, placements)
    if later is not None:
        errors["left_out"] = later
    held_out = _held_out(terms, seen, receivers, found, np.array([core, socket])[:, :-1, :-1])
    if held_out is not None:
        errors["held_out"] = held_out
    hand_off = dict(zip(HandOff.model_fields, found[-4:].tolist(), strict=True))
    model = InflationModel(
        kinds=tuple(kinds), core=core, socket=socket, weight=weight, hand_off=HandOff(**hand_off), errors=errors
    )
    return model, float(np.median(residuals))


def _terms(ran: Ran, of: NDArray[np.int64], kinds: int, weights: Floats) -> Floats:
    """A row for each VNF of each placement: weights of others by pair of kinds on the core and on the socket, and the
    hand-offs by cycles alone."""
    placements, vnfs = ran.cores.shape
    terms = np.zeros((placements, vnfs, 2 * kinds**2 + 4))
    others = ~np.eye(vnfs, dtype=bool)
    same_core = (ran.cores[:, :, None] == ran.cores[:, None, :]) & others
    same_socket = (ran.sockets[:, :, None] == ran.sockets[:, None, :]) & others & ~same_core
    by_kind = np.zeros((placements, vnfs, kinds))
    by_kind[:, np.arange(vnfs), of] = weights
    for index, near in enumerate((same_core, same_socket)):
        weight = near @ by_kind
        for vnf in range(vnfs):
            first = index * kinds**2 + of[vnf] * kinds
            terms[:, vnf, first : first + kinds] = weight[:, vnf]
    for chain in ran.chains:
        for one, other in pairwise(chain):
            changes = ran.cores[:, one] != ran.cores[:, other]
            remote = ran.sockets[:, one] != ran.sockets[:, other]
            for vnf, side in ((other, -4), (one, -2)):
                terms[:, vnf, side] += (changes & ~remote) / ran.cycles[vnf]
                terms[:, vnf, side + 1] += (changes & remote) / ran.cycles[vnf]
    return terms.reshape(placements * vnfs, -1)


def _non_negative(terms: Floats, seen: Floats) -> Floats:
    """Least squares of what is no outlier. Columns are scaled to one length, and the rows brought to as many."""
    keep = np.ones(len(seen), dtype=bool)
    found = np.zeros(terms.shape[1])
    for _ in range(_ROUNDS):
        length = np.linalg.norm(terms[keep], axis=0)
        used = length > 0
        q, r = np.linalg.qr(terms[keep][:, used] / length[used])
        found = np.zeros(terms.shape[1])
        if used.any():
            found[used] = np.minimum(_solved(r, q.T @ seen[keep]) / length[used], LARGEST)
        residuals = np.abs(terms @ found - seen)
        limit = max(_OUTLIER * 1.4826 * float(np.median(residuals[keep])), 1e-6)
        if np.array_equal(residuals <= limit, keep):
            break
        keep = residuals <= limit
    return found


def _solved(terms: Floats, seen: Floats) -> Floats:
    """By active sets; where these do not settle, by the slower way of trust regions."""
    try:
        found: Floats = nnls(terms, seen, maxiter=30 * terms.shape[1])[0]
    except RuntimeError:
        found = np.maximum(lsq_linear(terms, seen, bounds=(0, np.inf)).x, 0.0)
    return found


def _completed(table: Floats, met: NDArray[np.bool_]) -> tuple[tuple[float, ...], ...]:
    """Pairs that were never seen together: sensitivity of the one x aggressiveness of the other, as means over what was
    seen; and the upper quartile for a kind that is not known."""
    mean = float(table[met].mean()) if met.any() else 0.0
    sensitivity = np.array([row[seen].mean() if seen.any() else mean for row, seen in zip(table, met, strict=True)])
    aggressiveness = np.array(
        [column[seen].mean() if seen.any() else mean for column, seen in zip(table.T, met.T, strict=True)]
    )
    guess = np.outer(sensitivity, aggressiveness) / mean if mean > 0 else np.zeros_like(table)
    whole = np.where(met, table, guess)
    column = np.percentile(whole, _UPPER, axis=1, keepdims=True)
    wide = np.hstack([whole, column])
    return tuple(tuple(row) for row in np.vstack([wide, np.percentile(wide, _UPPER, axis=0)]).tolist())


def _held_out(terms: Floats, seen: Floats, receivers: NDArray[np.int64], found: Floats, tables: Floats) -> float | None:
    """Error where each kind in its turn is judged by the upper quartile of the others, as the model judges one that
    nobody measured; None: there are too few. `tables`: of the core and of the socket, by kinds."""
    kinds = tables.shape[1]
    if kinds < 3:
        return None
    errors = []
    for kind in range(kinds):
        rest = np.arange(kinds) != kind
        changed = found.copy()
        wide = changed[: 2 * kinds**2].reshape(2, kinds, kinds)
        wide[:, kind, :] = np.percentile(tables[:, rest, :], _UPPER, axis=1)
        rows = receivers == kind
        errors.append(_relative(np.abs(terms[rows] @ changed - seen[rows]), seen[rows]))
    return float(np.percentile(np.concatenate(errors), 90))


def _left_out(terms: Floats, seen: Floats, placements: NDArray[np.int64]) -> float | None:
    """Error where each fifth of the placements in its turn, one after another as they ran, is judged by a fit on the
    others; None: there are too few. Neighbours in time are alike, so single ones left out would flatter the model."""
    if len(set(placements.tolist())) < _FOLDS:
        return None
    fold = placements * _FOLDS // (int(placements.max()) + 1)
    errors = []
    for one in range(_FOLDS):
        out = fold == one
        if out.any() and not out.all():
            errors.append(_relative(np.abs(terms[out] @ _non_negative(terms[~out], seen[~out]) - seen[out]), seen[out]))
    return float(np.percentile(np.concatenate(errors), 90)) if errors else None


def _relative(residuals: Floats, seen: Floats) -> Floats:
    """Of cycles as they were seen."""
    relative: Floats = residuals / (1 + np.maximum(seen, -0.9))
    return relative
