"""What the console reads from OpenNetVM's group files, and writes for it: chains, start commands."""

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.chains.chain import ChainSpec


class ImportNote(Frozen):
    """Something of a group file that was not carried over, or had to be assumed."""

    at: str
    """Where in the file: `firewall.0.parameters`; empty where it is the whole file."""
    message: str


class ImportedChain(Frozen):
    """One chain of a group file."""

    spec: ChainSpec
    services: tuple[int, ...]
    """The file's service ids of its NFs, in their order."""
    taken: bool
    """There is another chain of this name already."""


class ChainImport(Frozen):
    """What a group file describes; nothing of it is stored."""

    chains: tuple[ImportedChain, ...]
    notes: tuple[ImportNote, ...]


class StartRefusal(Frozen):
    """Why a chain is not among the start commands: what OpenNetVM's stock NFs, or a group file, cannot do."""

    chain: Name
    nf_id: NfId | None
    field: str
    """Of the NF or the chain: `config.rules.2.src`, `execution`, `core`."""
    message: str
    group_only: bool = False
    """Only the group file leaves it out; the shell commands have it."""


class StartCommands(Frozen):
    """A host's placement as commands that start it by hand, for OpenNetVM v21.10."""

    host: Name
    shell: str
    """A script for sh: managers, then NFs in the order of start, each quoted."""
    group: str
    """JSON for `examples/run_group.py`."""
    group_manager: str
    """The command that starts the manager for the group file: its NFs have DPDK's default prefix."""
    group_files: dict[str, str]
    """What NFs of the group read: path below `examples` -> text."""
    refusals: tuple[StartRefusal, ...]
    notes: tuple[str, ...]
    """What runs differently from how Sextant would run it."""
