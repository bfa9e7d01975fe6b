/** A trained network with its report, its promotion, and one that was reverted. */

import type { NetworkPromotion, SchoolReport, TrainedNetwork } from "@/api/types";
import { estimate } from "./study-fixtures";

export const WEIGHTS = `sha256:664f30a36add${"0".repeat(52)}`;

export const REPORT: SchoolReport = {
  cores: 4,
  seed: 1,
  steps: 61_051,
  seconds: 82,
  curve: {
    rr: 0.8368,
    lpt: 0.9757,
    marks: [
      { steps: 0, served: 0.37, loss: null },
      { steps: 30_000, served: 0.92, loss: 0.2 },
      { steps: 61_051, served: 0.9388, loss: 0.15 },
    ],
  },
  exam: {
    machine: "epyc-7301",
    kinds: ["router", "nat"],
    instances: 24,
    network: 0.9123,
    rr: 0.8083,
    lpt: 0.9308,
    min_max: 0.9284,
    over_rr: estimate(13.98, 4.73),
    over_lpt: estimate(-1.86, 2.07),
    over_min_max: estimate(-1.43, 2.64),
  },
  origin: {
    lab: "0.1.0",
    python: "3.11",
    numpy: "2",
    scipy: "1",
    engine_core: "0",
    twin_core: "0",
    calibration: "0",
    data: "0",
    scenario: "0",
    jax: "0.10.2",
  },
};

export function trained(change: Partial<TrainedNetwork> = {}): TrainedNetwork {
  return {
    weights: WEIGHTS,
    report: REPORT,
    study: 12,
    trained_at: "2026-11-29T15:00:00Z",
    trained_by: "ada",
    in_force: false,
    ...change,
  };
}

export function promotion(change: Partial<NetworkPromotion> = {}): NetworkPromotion {
  return {
    id: 3,
    cores: 4,
    weights: WEIGHTS,
    before: null,
    promoted_at: "2026-11-29T15:05:00Z",
    promoted_by: "ada",
    hosts: {},
    ended: null,
    ended_at: null,
    ended_by: null,
    verdict: null,
    rests_until: null,
    ...change,
  };
}
