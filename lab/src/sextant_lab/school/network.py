"""The paper's network (Sec. IV-C) in JAX, and one step of learning. The engine computes the same from its weights.

A VNF chooses once, and what it gains is its own payoff at the end of the game: nothing follows its choice that it would
have to expect, so what is learned is that payoff, and double Q-learning, which corrects expectations, changes nothing.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sextant_lab.school.games import Floats, Ints, States

Parameters = dict[str, Any]
"""By layer, and `LAYER_bias`."""

_HEADS, _DIMENSION, _DENSE, _HIDDEN = 3, 4, 16, 48
_FIRST_MOMENT, _SECOND_MOMENT, _SMALL = 0.9, 0.999, 1e-8
"""Of Adam (Kingma and Ba)."""


def shapes(cores: int) -> dict[str, tuple[int, int]]:
    """Inputs and outputs of each layer; the first three have no bias."""
    latent = _HEADS * _DIMENSION
    return {
        "query": (4, latent),
        "key": (4, latent),
        "value": (4, latent),
        "dense": (latent, _DENSE),
        "first": (2 * cores + _DENSE, _HIDDEN),
        "second": (_HIDDEN, _HIDDEN),
        "head": (_HIDDEN, cores + 1),
    }


def untrained(seed: int, cores: int) -> Parameters:
    """Uniform within the square root of 6 / (inputs + outputs), biases 0 (Glorot and Bengio)."""
    dice = np.random.default_rng(seed)
    found: Parameters = {}
    for name, (inputs, outputs) in shapes(cores).items():
        limit = (6.0 / (inputs + outputs)) ** 0.5
        found[name] = dice.uniform(-limit, limit, (inputs, outputs)).astype(np.float32)
        if name not in {"query", "key", "value"}:
            found[f"{name}_bias"] = np.zeros(outputs, dtype=np.float32)
    return found


def _payoffs(given: Parameters, cores: Any, vnfs: Any, there: Any, current: Any) -> Any:
    """Of the current VNF on each core, for one state."""
    asks = (vnfs[current] @ given["query"]).reshape(_HEADS, _DIMENSION)
    keys = (vnfs @ given["key"]).reshape(-1, _HEADS, _DIMENSION)
    values = (vnfs @ given["value"]).reshape(-1, _HEADS, _DIMENSION)
    scores = jnp.einsum("hd,vhd->hv", asks, keys) / _DIMENSION**0.5
    attention = jax.nn.softmax(jnp.where(there, scores, -jnp.inf), axis=1)
    latent = jnp.einsum("hv,vhd->hd", attention, values).ravel()
    dense = jax.nn.relu(latent @ given["dense"] + given["dense_bias"])
    layer = jnp.concatenate([cores.ravel(), dense])
    for name in ("first", "second"):
        layer = jax.nn.relu(layer @ given[name] + given[f"{name}_bias"])
    head = layer @ given["head"] + given["head_bias"]
    return head[0] + head[1:] - head[1:].mean()


_all_payoffs = jax.vmap(_payoffs, in_axes=(None, 0, 0, 0, 0))
_compiled = jax.jit(_all_payoffs)


def payoffs(given: Parameters, states: States) -> Any:
    """Expected, state by state and core by core."""
    return np.asarray(_compiled(given, states.cores, states.vnfs, states.there, states.current))


def _loss(given: Parameters, batch: Any) -> Any:
    (cores, vnfs, there, current), chosen, gained, weights = batch
    found = jnp.take_along_axis(_all_payoffs(given, cores, vnfs, there, current), chosen[:, None], axis=1)[:, 0]
    errors = found - gained
    return jnp.mean(weights * errors**2), errors


def _stepped(given: Parameters, moments: Any, rate: Any, batch: Any) -> Any:
    (_, errors), slopes = jax.value_and_grad(_loss, has_aux=True)(given, batch)
    count, first, second = moments
    count = count + 1
    first = jax.tree.map(lambda old, slope: _FIRST_MOMENT * old + (1 - _FIRST_MOMENT) * slope, first, slopes)
    second = jax.tree.map(lambda old, slope: _SECOND_MOMENT * old + (1 - _SECOND_MOMENT) * slope**2, second, slopes)
    scale = rate * jnp.sqrt(1 - _SECOND_MOMENT**count) / (1 - _FIRST_MOMENT**count)
    given = jax.tree.map(lambda old, one, two: old - scale * one / (jnp.sqrt(two) + _SMALL), given, first, second)
    return given, (count, first, second), errors


_step = jax.jit(_stepped)


class Learner:
    """Weights that get better, step by step."""

    def __init__(self, given: Parameters) -> None:
        nothing = {name: np.zeros_like(value) for name, value in given.items()}
        self.given: Any = given
        self.moments: Any = (np.float32(0), nothing, dict(nothing))

    def learn(self, rate: float, states: States, chosen: Ints, gained: Floats, weights: Floats) -> Floats:
        """One step on a batch; how wrong it was before, choice by choice."""
        batch = ((states.cores, states.vnfs, states.there, states.current), chosen, gained, weights)
        self.given, self.moments, errors = _step(self.given, self.moments, np.float32(rate), batch)
        return np.asarray(errors)
