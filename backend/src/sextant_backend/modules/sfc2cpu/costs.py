"""Fits what packets cost on a host beside others, on what its NFs measured in the last hours.

Read in one transaction, computed in none, stored in another: a fit takes less than a second.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from sextant_domain.problem import NextAction
from sextant_domain.profiling.host_cost import HostCost
from sextant_domain.profiling.inflation import InflationModel
from sextant_engine.modelling.host_samples import KnownNf, SeenNf
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now, read_snapshot
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.principal import Principal
from sextant_backend.laws import host_reading
from sextant_backend.laws.host_reading import HostRead
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.host_costs import repository
from sextant_backend.modules.host_costs.models import HostCostRow
from sextant_backend.modules.host_costs.views import host_cost
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.sfc2cpu import views
from sextant_backend.modules.sfc2cpu.errors import CostsNotFitted
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.repository import NfWindow

SPAN = timedelta(hours=6)
"""Back from the newest sample."""
LEAST_WINDOWS = 30
"""Five minutes: fewer say little of how far off a fit is."""


def fit(session: Session, name: str, who: Principal) -> HostCost:
    """A new version, which counts from then on; the one there is where it says the same. Raises NotFound, or
    CostsNotFitted with the reason."""
    with read_snapshot(session):
        read = host_reading.read_hosts(session, [name]).get(name)
        if read is None:
            raise NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")
        chains = known_chains(session, read)
        nf_ids = [nf.nf_id for chain in chains for nf in chain]
        rows = telemetry.nf_windows(session, name, nf_ids, SPAN)
        newest = telemetry.newest(session, name)
    windows = seen_windows(rows)
    if newest is None or len(windows) < LEAST_WINDOWS:
        raise CostsNotFitted(
            f"{name} has measured its NFs in {len(windows)} spans of ten seconds within {SPAN.seconds // 3600} h, and "
            f"a fit wants {LEAST_WINDOWS}.",
            next_actions=[NextAction(label="Let its chains run for some minutes, and fit again")],
        )
    # NumPy and SciPy, which only this needs: loaded in no transaction, since on cores that NFs fill it takes seconds
    from sextant_engine.modelling.host_cost import fit_host

    model = fit_host(chains, windows, {core.id: core.node for core in read.inventory.cores})
    facts = {
        "since": rows[0].at,
        "until": rows[-1].at,
        "windows": len(windows),
        "placements": len({tuple(sorted((nf, one.core) for nf, one in window.items())) for window in windows}),
        "nf_types": model.kinds,
        "weight": model.weight,
        "median_error": model.errors["median"],
        "left_out_error": model.errors["left_out"],
        "held_out_error": model.errors.get("held_out"),
        "provenance": newest[1],
    }
    return _stored(session, name, who, facts, model)


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
    """One after another, by NF. A core has a million microseconds a second; Mpps are a million packets."""
    found: dict[object, dict[str, SeenNf]] = {}
    for row in rows:
        cost = row.utilisation_percent / 100 / row.rx_mpps
        if cost > 0:
            found.setdefault(row.at, {})[row.nf_id] = SeenNf(row.core, row.rx_mpps, cost)
    return list(found.values())


def _stored(
    session: Session, name: str, who: Principal, facts: Mapping[str, object], model: InflationModel
) -> HostCost:
    if hosts.get(session, name, lock=True) is None:
        raise NotFound(f"Host {name} has left the fleet while its costs were fitted.")
    former, fitted = repository.newest(session, name), model.model_dump(mode="json")
    if former is not None and former.model == fitted:
        return host_cost(former)
    version = 1 if former is None else former.version + 1
    by = {"version": version, "fitted_at": db_now(session), "fitted_by": who.username}
    cost = HostCost.model_validate({**by, **facts})
    kept = cost.model_dump(mode="json", exclude={"drifted_at", "drift_error"})
    session.add(HostCostRow(host_id=name, version=version, cost=kept, model=fitted))
    after = {"costs beside others": f"version {version}"}
    audit.record(session, who.username, "host.fit_costs", f"host/{name}", {"version": version}, after=after)
    return cost
