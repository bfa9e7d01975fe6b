"""What a fit of a host's costs is made of: its NFs with what their packets take alone, and what they measured."""

from collections.abc import Sequence
from datetime import timedelta

from sextant_domain.problem import NextAction
from sextant_engine.modelling.host_samples import KnownNf, SeenNf
from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import HostRead
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.sfc2cpu import views
from sextant_backend.modules.sfc2cpu.errors import CostsNotFitted
from sextant_backend.modules.telemetry.repository import NfWindow

SPAN = timedelta(hours=6)
"""Back from the newest sample."""
LEAST_WINDOWS = 30
"""Five minutes: fewer say little of how far off a fit is."""


def known_chains(session: Session, read: HostRead) -> list[list[KnownNf]]:
    """Of a host, with what a packet takes alone; of every NF, since each counts beside others. Raises CostsNotFitted
    where it is not known of one."""
    models = in_use.promoted(session, read.inventory.host_model)
    known = types.named(session, {nf.nf_type for chain in read.content.chains for nf in chain.nfs})
    found, unknown = [], set()
    for chain in read.content.chains:
        nfs = []
        for nf in chain.nfs:
            alone = views.alone_us(models.get(nf.nf_type), known.get(nf.nf_type), nf)
            if alone is None:
                unknown.add(nf.nf_type)
            else:
                nfs.append(KnownNf(nf.nf_id, nf.nf_type, alone))
        found.append(nfs)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise CostsNotFitted(
            f"What a packet takes alone is not known of {names}: no model of it is promoted on "
            f"{read.inventory.host_model} that was measured at its version and configuration.",
            next_actions=[
                NextAction(
                    label="Profile it, and promote its model",
                    command=f"sextant profile start {min(unknown)} --host {read.inventory.host_id}",
                )
            ],
        )
    return found


def seen_windows(rows: Sequence[NfWindow]) -> list[dict[str, SeenNf]]:
    """One after another, by NF."""
    found: dict[object, dict[str, SeenNf]] = {}
    for row in rows:
        if row.cost_us > 0:
            found.setdefault(row.at, {})[row.nf_id] = SeenNf(row.core, row.rx_mpps, row.cost_us)
    return list(found.values())


def too_little(name: str, windows: int) -> CostsNotFitted:
    """A host has measured its NFs in fewer than `LEAST_WINDOWS`."""
    return CostsNotFitted(
        f"{name} has measured its NFs in {windows} spans of ten seconds within {SPAN.seconds // 3600} h, and "
        f"a fit wants {LEAST_WINDOWS}.",
        next_actions=[NextAction(label="Let its chains run for some minutes, and fit again")],
    )
