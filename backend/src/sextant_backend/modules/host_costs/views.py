"""Fitted costs as others read them. Pure."""

from collections.abc import Mapping

from sextant_domain.profiling.host_cost import FittedCost, HostCost, HostCostFit
from sextant_domain.profiling.inflation import InflationModel

from sextant_backend.modules.host_costs.models import HostCostFitRow, HostCostRow


def host_cost(row: HostCostRow) -> HostCost:
    """For people."""
    drift = {"drifted_at": row.drifted_at, "drift_nf": row.drift_nf, "drift_error": row.drift_error}
    return HostCost.model_validate({**row.cost, **drift})


def model(row: HostCostRow) -> InflationModel:
    """Who hurts whom."""
    return InflationModel.model_validate(row.model)


def fitted_cost(row: HostCostRow) -> FittedCost:
    """For plans: without what people alone want to know of it."""
    cost = host_cost(row)
    return FittedCost(
        host=row.host_id,
        version=row.version,
        fitted_at=cost.fitted_at,
        placements=cost.placements,
        left_out_error=cost.left_out_error,
        drifted_at=row.drifted_at,
        model=model(row).model_copy(update={"errors": {}}),
    )


def fit(row: HostCostFitRow, came_to: Mapping[tuple[str, int], HostCostRow]) -> HostCostFit:
    """`came_to`: by host and version, the costs of at least this one."""
    cost = None if row.version is None else came_to.get((row.host_id, row.version))
    return HostCostFit.model_validate(
        {
            "id": row.id,
            "host": row.host_id,
            "state": row.state,
            "asked_at": row.asked_at,
            "asked_by": row.asked_by,
            "began_at": row.began_at,
            "windows": row.windows,
            "ended_at": row.ended_at,
            "cost": None if cost is None else host_cost(cost),
            "error": row.error,
        }
    )
