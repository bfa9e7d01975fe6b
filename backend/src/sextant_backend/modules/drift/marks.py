"""Marks hosts whose reports have differed from their orders for a while, by what is stored of them: no agent is asked.

An NF that crashed, or is being moved, differs for a moment: the agent repairs that by itself. What lasts is what it
cannot repair. While an operation holds a host, or the host is silent, its mark stays as it is. Settings of NFs are in
no report: the page asks the agent for them.
"""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.drift import repository
from sextant_backend.modules.drift.repository import NfCounts, Reported
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts

EVERY_S = 5.0
LASTS_AFTER = timedelta(seconds=15)
"""The agent's first tries of what failed are 1, 2 and 4 s apart."""


def evaluate(session: Session) -> int:
    """One round; returns how many hosts are shown otherwise than before."""
    counts = repository.nf_counts(session)
    now = db_now(session)
    found = {one.host_id: one for one in repository.reported(session, counts)}
    due = {name: kept for name, one in found.items() if (kept := _kept(one, counts.get(name), now)) != one.drift}
    shown: list[str] = []
    for host in hosts_repository.named(session, list(due), lock=True):
        if _shown(host.drift) != _shown(due[host.host_id]):
            host.version += 1
            shown.append(host.host_id)
        host.drift = due[host.host_id]
    hosts.publish(session, *shown)
    return len(shown)


def _kept(host: Reported, nfs: NfCounts | None, now: datetime) -> dict[str, object] | None:
    summary = summary_of(host, nfs or NfCounts())
    if summary is None:
        return None
    since = str(host.drift["since"]) if host.drift else now.isoformat()
    lasting = now - datetime.fromisoformat(since) >= LASTS_AFTER
    return {"since": since, "summary": summary, "lasting": lasting}


def _shown(kept: dict[str, object] | None) -> object:
    return kept["summary"] if kept and kept["lasting"] else None


def summary_of(host: Reported, nfs: NfCounts) -> str | None:
    """'2 NFs do not run, generation 3 of 5'; None where all is as ordered."""
    parts = [
        f"{_count(nfs.not_running)} {'does' if nfs.not_running == 1 else 'do'} not run" if nfs.not_running else "",
        f"{_count(nfs.foreign)} never ordered" if nfs.foreign else "",
        f"{_count(nfs.moved)} on another core than ordered" if nfs.moved else "",
        f"generation {host.applied_generation} of {host.desired_generation} ordered"
        if host.applied_generation != host.desired_generation
        else "",
        "its agent cannot go on by itself" if host.blocked else "",
    ]
    return ", ".join(filter(None, parts)) or None


def _count(nfs: int) -> str:
    return "1 NF" if nfs == 1 else f"{nfs} NFs"
