"""The algorithm that Kubernetes publishes for its HorizontalPodAutoscaler (HPA), re-implemented from its description to
stand beside SRv6-INT's loops: how many replicas there should be by CPU utilisation. Pure.

Sources: "Horizontal Pod Autoscaling", section "Algorithm details" (kubernetes.io/docs/tasks/run-application/
horizontal-pod-autoscale); defaults as in kubernetes/kubernetes: pkg/controller/podautoscaler/config/v1alpha1/
defaults.go (period, tolerance, stabilisation), pkg/apis/autoscaling/v2/defaults.go (target, limits of a step).

Left out, in its favour: replicas are ready, and measured, at once (it ignores CPU use of a pod for up to 5 min).
"""

import math
from dataclasses import dataclass

SYNC_S = 15.0
"""`--horizontal-pod-autoscaler-sync-period`."""
TARGET_PERCENT = 80
"""Of what was requested, where no metric is named (DefaultCPUUtilization)."""
TOLERANCE = 0.1
"""`--horizontal-pod-autoscaler-tolerance`: so near to the target nothing changes."""
DOWN_WINDOW_S = 300.0
"""`--horizontal-pod-autoscaler-downscale-stabilization`: the highest recommendation in it counts."""
UP_FACTOR, UP_PODS = 2, 4
"""In a period there come as many as there are, or four, whichever is more (scale-up policies by default)."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class HpaState:
    """Of one target."""

    replicas: int
    recommended: tuple[tuple[float, int], ...]
    """When, and how many; of the last `DOWN_WINDOW_S`."""


def begun(replicas: int, now_s: float) -> HpaState:
    """What stands when it comes counts as its first recommendation."""
    return HpaState(replicas, ((now_s, replicas),))


def desired(replicas: int, used_percent: float) -> int:
    """desiredReplicas = ceil(currentReplicas x currentMetricValue / desiredMetricValue). `used_percent`: of what all
    replicas requested together; whole percent count, as there."""
    ratio = math.floor(used_percent + _ROUNDING) / TARGET_PERCENT
    if abs(ratio - 1) <= TOLERANCE + _ROUNDING:
        return replicas
    return math.ceil(replicas * ratio - _ROUNDING)


def step(state: HpaState, used_percent: float, most: int, now_s: float) -> HpaState:
    """One sync: of `replicas` there are 1 to `most`."""
    wanted = desired(state.replicas, used_percent)
    lasting = tuple((at, many) for at, many in state.recommended if now_s - at < DOWN_WINDOW_S)
    highest = max([wanted, *(many for _, many in lasting)])
    stable = min(state.replicas, highest) if wanted < state.replicas else wanted
    limit = max(UP_FACTOR * state.replicas, state.replicas + UP_PODS)
    return HpaState(max(1, min(stable, limit, most)), (*lasting, (now_s, wanted)))
