"""The chain sets of Octans' Fig. 8, lost in the paper's text: drawn once by a seed, before anything was run.

python bench/octans/sets.py        # prints the [[set]] tables of settings.toml
"""

import random

from sextant_domain.studies.scenario import MOST_NFS as MOST_NFS_OF_SET

TYPES = ("octans-firewall", "octans-nids", "octans-router", "octans-vpn")
"""The four of Sec. VI."""
SEED = 2020
"""The year of the paper."""
SETS = 6
LOCAL_CORES, ALL_CORES = 6, 18
"""Free for NFs: 6 local ones, and 12 remote ones beside them (Sec. VI-A)."""
FEWEST_CHAINS, MOST_CHAINS = 2, 5
FEWEST_NFS, MOST_NFS = 2, 4


def draw(chance: random.Random, most: int = ALL_CORES) -> list[tuple[str, ...]]:
    """A set that fits into the server and not into its local node alone: that would be no question."""
    while True:
        chains = [_chain(chance) for _ in range(chance.randint(FEWEST_CHAINS, MOST_CHAINS))]
        if LOCAL_CORES < sum(map(len, chains)) <= most:
            return chains


def many(count: int) -> dict[str, list[tuple[str, ...]]]:
    """By name, from the same seed: the first six are those of Fig. 8. None is larger than a study takes."""
    chance = random.Random(SEED)
    return {f"set-{number}": draw(chance, MOST_NFS_OF_SET) for number in range(1, count + 1)}


def _chain(chance: random.Random) -> tuple[str, ...]:
    """Neighbours differ: nobody puts the same NF twice in a row."""
    nfs: list[str] = []
    for _ in range(chance.randint(FEWEST_NFS, MOST_NFS)):
        nfs.append(chance.choice([name for name in TYPES if [name] != nfs[-1:]]))
    return tuple(nfs)


if __name__ == "__main__":
    generator = random.Random(SEED)
    for number in range(1, SETS + 1):
        print("[[set]]")
        print(f'name = "set-{number}"')
        print("chains = [")
        for nfs in draw(generator):
            print(f"  [{', '.join(repr(nf).replace(chr(39), chr(34)) for nf in nfs)}],")
        print("]\n")
