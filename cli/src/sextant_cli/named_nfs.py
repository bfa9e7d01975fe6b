"""NFs that options of `sextant chains submit` name, in a file that is carried by several chains."""

from collections.abc import Sequence

from sextant_domain.chains.chain import ChainSpec


def chains_of_nf(specs: Sequence[ChainSpec], name: str) -> set[str]:
    """Of the lanes and the parts of one file, those with the NF: every lane has it, and one part.

    Raises ValueError with the cause where none has it, or more than one part."""
    found = [spec.name for spec in specs if any(nf.name == name for nf in spec.nfs)]
    if not found:
        known = ", ".join(dict.fromkeys(nf.name for spec in specs for nf in spec.nfs))
        raise ValueError(f"{specs[0].name} has no NF '{name}'; it has {known}")
    parts = [spec.name for spec in specs if spec.part is not None and spec.name in found]
    if len(parts) > 1:
        raise ValueError(
            f"NFs of {' and '.join(parts)} are called '{name}': give them names of their own in the file "
            f"(nfs: [{{type: ..., name: {name}-2}}])"
        )
    return set(found)
