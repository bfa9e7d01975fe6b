/** Small, complete values of NF types, their models and fits; each test overrides what it is about. */

import type { FitView, ModelVersion, NfType } from "@/api/types";
import { AT } from "./fixtures";

/** A type with these defaults; `implementation`: of a registered one. */
export function nfType(name: string, defaults: Record<string, unknown>, implementation: string | null = null): NfType {
  const properties = Object.entries(defaults).map(([setting, value]) => [setting, { default: value }]);
  return {
    name,
    version: 1,
    short_name: name.slice(0, 8),
    summary: `what ${implementation ?? name} does`,
    library: "own code",
    config_schema: { type: "object", properties: Object.fromEntries(properties) },
    artefacts: [],
    implementation,
  };
}

export function modelVersion(part: Partial<ModelVersion> = {}): ModelVersion {
  return {
    id: 1,
    fit_id: 1,
    nf_type: "edge",
    nf_version: 1,
    host_model: "xeon",
    state: "candidate",
    method: "constrained",
    model: null,
    curves: null,
    sides: [],
    scores: [],
    held_out: [],
    samples: 45,
    basis: "simulated",
    refusals: [],
    notes: [],
    stale: null,
    validated: true,
    created_at: AT,
    decided_at: null,
    decided_by: null,
    ...part,
  };
}

export function fitView(id: number, metric: string, scale: number, models: ModelVersion[]): FitView {
  return {
    id,
    host_model: "xeon",
    state: "done",
    job_id: null,
    nf_types: models.map(({ nf_type }) => nf_type),
    promoted: [],
    metric,
    samples: 45,
    basis: "simulated",
    error: null,
    created_at: AT,
    created_by: "system",
    version: 3,
    fit: {
      id,
      host_model: "xeon",
      job_id: null,
      metric: { host_model: "xeon", chosen: metric, used: metric, scores: [], stability: [], alone: [], note: null },
      scale,
      models,
      scores: [],
      samples: 45,
      seconds: 0.1,
      basis: "simulated",
      created_at: AT,
    },
  };
}
