"""Fitted costs as others read them. Pure."""

from sextant_domain.profiling.host_cost import FittedCost, HostCost
from sextant_domain.profiling.inflation import InflationModel

from sextant_backend.modules.host_costs.models import HostCostRow


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
