"""NFs in the kernel as the root daemon finds them. They have no process: such an NF runs while its rules are there."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from sextant_domain.hosts.desired import NfState

from sextant_agent.contract.sample import NfCounters, RulesCounted
from sextant_agent.drivers.srv6.answers import DaemonFirewalls, Firewall, NfFigures
from sextant_agent.drivers.srv6.record import ChainEntry, NfEntry
from sextant_agent.kit.line_client import LineClient, LineError

GONE = "its rules have gone: somebody flushed or deleted them (nft flush ruleset)"


class KernelNfs:
    """Of one host. Safe for several threads."""

    def __init__(self, daemon: LineClient) -> None:
        self._daemon = daemon
        self._last: Mapping[int, NfFigures] = {}
        """By number of an NF's life: what was counted last."""
        self._running: frozenset[int] = frozenset()
        """Those whose rules were there."""
        self._rules: Mapping[int, Firewall] = {}
        """What was said of them last."""

    def look(self, entries: Iterable[ChainEntry]) -> None:
        """While the daemon is silent they stay as they were, since packets go on."""
        ours = {nf.nf_id: nf.process.number for entry in entries for nf in entry.nfs if nf.in_kernel}
        if not ours:
            return
        with suppress(LineError):
            found = self._daemon.ask(DaemonFirewalls, "firewalls").firewalls
            seen = {
                ours[one.nf_id]: NfFigures(rx=one.passed + one.filtered, tx=one.passed, filtered=one.filtered)
                for one in found
                if one.nf_id in ours
            }
            living = {number: figures for number, figures in self._last.items() if number in ours.values()}
            self._last, self._running = {**living, **seen}, frozenset(seen)
            self._rules = {ours[one.nf_id]: one for one in found if one.nf_id in ours}

    def last(self, nf: NfEntry) -> NfFigures:
        """Of this life, as they were last seen."""
        return self._last.get(nf.process.number, NfFigures())

    def _counted(self, nf: NfEntry) -> RulesCounted | None:
        """None where nobody knows since when."""
        found = self._rules.get(nf.process.number)
        if found is None or found.default is None or nf.rules_since is None:
            return None
        return RulesCounted(nf.rules_since, found.rules, found.default)

    def counters(self, chain: str, nf: NfEntry) -> NfCounters:
        """What it takes of a core nobody counts: the kernel works on packets on the core where they come."""
        total, runs = nf.before + self.last(nf), nf.process.number in self._running
        return NfCounters(
            nf_id=nf.nf_id,
            chain=chain,
            nf_type=nf.nf_type,
            state=NfState.RUNNING if runs else NfState.CRASHED,
            pid=None,
            core=nf.core,
            last_core=nf.core,
            starts=nf.starts,
            exit=nf.exit if runs else GONE,
            rx=total.rx,
            tx=total.tx,
            filtered=total.filtered,
            cpu_ns=None,
            rules=self._counted(nf),
        )
