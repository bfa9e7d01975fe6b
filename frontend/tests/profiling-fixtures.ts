/** Small, complete jobs and points; each test overrides what it is about. */

import { DEFAULT_ASK } from "@/api/defaults";
import type {
  PointPurpose,
  PointSetting,
  ProfilingAsk,
  ProfilingDesign,
  ProfilingJob,
  ProfilingPoint,
} from "@/api/types";
import { AT } from "./fixtures";

export function ask(change: Partial<ProfilingAsk> = {}): ProfilingAsk {
  return { ...DEFAULT_ASK, nf_type: "edge", host: "edge-1", ...change, competitors: [...(change.competitors ?? [])] };
}

/** `others`: "3 dpi@0 1 vpn@1". */
export function setting(purpose: PointPurpose, others = "", change: Partial<PointSetting> = {}): PointSetting {
  return {
    purpose,
    ingress_node: 0,
    chain: [{ nf_type: "edge", node: 0 }],
    others: [...others.matchAll(/(\d+) ([a-z]+)@(\d)/g)].flatMap(([, number, type, node]) =>
      Array.from({ length: Number(number) }, () => ({ nf_type: type ?? "", node: Number(node) })),
    ),
    others_a_chain: 1,
    downstream: [],
    bubble_kib: null,
    ...change,
  };
}

export function point(id: number, where: PointSetting, change: Partial<ProfilingPoint> = {}): ProfilingPoint {
  return {
    id,
    job_id: 4,
    number: id - 1,
    setting: where,
    state: "waiting",
    tries: 0,
    progress: null,
    mpps: null,
    drop_percent: null,
    samples: 0,
    void_tries: 0,
    reused: false,
    record_id: null,
    note: null,
    error: null,
    started_at: null,
    finished_at: null,
    ...change,
  };
}

export const estimate = (value: number, half: number | null = 0.5) => ({
  value,
  standard_error: half === null ? null : half / 2,
  half_width: half,
  count: 4,
});

export function job(change: Partial<ProfilingJob> = {}): ProfilingJob {
  return {
    id: 4,
    state: "PROCESSING",
    ask: ask(),
    nf_version: 2,
    host_model: "m",
    points: 3,
    done: 1,
    not_measurable: 0,
    failed: 0,
    running: 1,
    seconds_left: 14,
    left_out: [],
    note: null,
    fit_id: null,
    error: null,
    actions: [],
    created_at: AT,
    created_by: "admin",
    started_at: AT,
    finished_at: null,
    version: 7,
    ...change,
  };
}

export function design(change: Partial<ProfilingDesign> = {}): ProfilingDesign {
  return {
    ask: ask(),
    host_model: "m",
    points: [setting("ideal"), setting("local", "1 dpi@0"), setting("local", "2 dpi@0")],
    known: 0,
    expected_s: 40,
    most_s: 90,
    left_out: [],
    no_model: null,
    roomier_host: null,
    ...change,
  };
}
