"""Small placement problems for tests, with round numbers."""

from typing import Any

from sextant_engine.problem import Chain, NfParameters, Node, PlacementProblem

# weight .1; alone: 10 Mpps local, 8 remote
A = NfParameters.model_validate(
    {
        "stalls": 10.0,
        "ideal": {"local": 10.0, "remote": 8.0},
        "local": {"alpha": 0.2, "beta": 0.1, "c": 0.0},
        "remote": {"alpha": 0.1, "beta": 0.2, "c": 0.0},
    }
)
# weight .2; alone: 6 x .99 Mpps local, 5 x .98 remote
B = NfParameters.model_validate(
    {
        "stalls": 5.0,
        "ideal": {"local": 6.0, "remote": 5.0},
        "local": {"alpha": 0.3, "beta": 0.2, "c": 0.01},
        "remote": {"alpha": 0.2, "beta": 0.3, "c": 0.02},
    }
)


def nodes(*cores: int, taken: int = 0, background: float = 0.0) -> tuple[Node, ...]:
    """n0 (local), n1, ... with so many cores."""
    return tuple(
        Node(id=f"n{index}", local=index == 0, cores=count, taken=taken, background=background)
        for index, count in enumerate(cores)
    )


def chain(name: str, nfs: str, **fields: Any) -> Chain:
    """`nfs` as letters: "AB" is an A followed by a B."""
    return Chain(id=name, nfs=tuple(nfs), **fields)


def problem(node_list: tuple[Node, ...], *chains: Chain, **fields: Any) -> PlacementProblem:
    """A problem of types A and B."""
    return PlacementProblem(nodes=node_list, nf_types={"A": A, "B": B}, chains=chains, **fields)
