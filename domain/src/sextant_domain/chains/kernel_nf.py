"""NFs that are no process: rules that the kernel applies to packets as they pass."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sextant_domain.problem import FieldError

if TYPE_CHECKING:
    from sextant_domain.chains.chain import ChainSettings, ChainSpec

KERNEL_NFS = "kernel-nfs"
"""A host that can have them."""
IN_KERNEL = frozenset({"nft-firewall"})
"""Built-in types whose NFs are that."""
NO_QUOTA = (
    "a kernel NF has no CPU quota: it is no process, and the kernel works on its packets as they come, so nothing can "
    "be given or taken"
)
_OF_PROCESSES = {"cpu_share": "CPU share", "cpu_quota_percent": "CPU quota"}


def unlimitable(settings: "ChainSettings | ChainSpec", kinds: Mapping[str, str]) -> Iterator[FieldError]:
    """What is asked of a chain's CPU time that none of its NFs could be given. `kinds`: NF -> built-in type."""
    if kinds and IN_KERNEL.issuperset(kinds.values()):
        for field in ("quota_bounds", "share_bounds"):
            if getattr(settings, field) is not None:
                why = f"all NFs of this chain are in the kernel ({', '.join(kinds)}), and {NO_QUOTA}"
                yield FieldError(field=field, message=f"{why}; take it away")


def unlimitable_nf(nf: object, kind: str, at: str) -> Iterator[FieldError]:
    """What is asked of an NF's CPU time, of one that has none of its own."""
    for field, what in _OF_PROCESSES.items() if kind in IN_KERNEL else ():
        if getattr(nf, field) is not None:
            message = f"a kernel NF has no {what}: it is no process; take it away"
            yield FieldError(field=f"{at}.{field}", message=message)
