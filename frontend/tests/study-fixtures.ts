/** A small study: two algorithms, one set, two runs; and two predictors of three chains. */
import type {
  Estimate,
  NumasfpResult,
  NumasfpSummary,
  PlacementResult,
  PlacementScenario,
  PlacementSummary,
  Study,
} from "@/api/types";

export function study(change: Partial<Study> = {}): Study {
  return {
    id: 3,
    name: "gains",
    summary: "Which carries more?",
    kind: "placement",
    machine: "xeon-e5-2650-v4",
    runs: 2,
    state: "running",
    progress: { done: 1, of: 4, what: "draw centre, seed 1: edge", seconds_left: 12 },
    cancel_requested: false,
    error: null,
    repeat_of: null,
    repeated: null,
    attempts: 1,
    created_by: "ops-1",
    created_at: "2026-11-22T10:00:00Z",
    started_at: "2026-11-22T10:00:01Z",
    finished_at: null,
    version: 5,
    ...change,
  };
}

export function estimate(value: number, half: number | null = 0.5): Estimate {
  return { value, half_width: half, standard_error: half === null ? null : half / 2, count: half === null ? 1 : 3 };
}

export const SUMMARY: PlacementSummary = {
  name: "gains",
  summary: "Which carries more?",
  kind: "placement",
  machine: "xeon-e5-2650-v4",
  runs: 2,
  draws: 1,
  metric: "stalled-cycles",
  metrics: { "stalled-cycles": 2 },
  qualifies: false,
  refused: [],
  sets: [
    {
      set: "edge",
      chains: 2,
      nfs: 4,
      totals: [
        { algorithm: "exact", carried_mpps: estimate(12), predicted_mpps: estimate(14, null) },
        { algorithm: "node_first", carried_mpps: estimate(10), predicted_mpps: estimate(11) },
      ],
    },
  ],
  gains: [{ over: "node_first", percent: estimate(20, 2) }],
  predictors: [],
};

export const SCENARIO: PlacementScenario = {
  name: "gains",
  summary: "Which carries more?",
  kind: "placement",
  server: { machine: "xeon-e5-2650-v4", reserved: 6, free_remote: null, io: "none", managers: "one" },
  traffic: { mpps: 14.88, packet_bytes: 64, flows: 1000 },
  profiling: {
    rate_mpps: 14.88,
    half_width_percent: 1,
    max_samples: 10,
    upstream: "router",
    reporter: "basic-monitor",
  },
  nf: [{ name: "router", like: null, extra_cycles: 0, profiled: "whole" }],
  set: [{ name: "edge", chains: [["router", "router"]] }],
  algorithms: ["exact", "node_first"],
  placements: 20,
  placement_seed: 0,
  seeds: [1, 2],
  draws: ["centre"],
  time: null,
};

type Placed = PlacementResult["placed"][number];

export function placed(algorithm: Placed["algorithm"], seed: number, seconds: number[]): Placed {
  return {
    draw: "centre",
    seed,
    set: "edge",
    algorithm,
    nodes: [[0, 1]],
    predicted_mpps: 9,
    carried_mpps: [8],
    by_second_mpps: seconds,
  };
}

type StudyPrediction = PlacementResult["predictions"][number];

export function predictedChain(
  chain: number,
  carried: number,
  predicted: StudyPrediction["predicted_mpps"],
): StudyPrediction {
  return {
    draw: 1,
    seed: 2,
    set: "edge",
    number: 0,
    chain,
    nodes: [0, 1],
    carried_mpps: carried,
    ideal_mpps: 10,
    predicted_mpps: predicted,
  };
}

export function result(change: Partial<PlacementResult> = {}): PlacementResult {
  return {
    kind: "placement",
    scenario: SCENARIO,
    origin: {
      lab: "0.1.0",
      python: "3.11.7",
      numpy: "2.4.6",
      scipy: "1.17.1",
      engine_core: "283206dfdff9541a",
      twin_core: "e283ca70f38e4c5a",
      calibration: "db6d1c8ac550d539",
      data: "0ad70b4bfe89aa40",
      scenario: "61413ee07568186c",
    },
    fits: [
      { draw: "centre", seed: 1, points: 159, metric: "stalled-cycles", qualifies: false, scale: 0.24, refusals: {} },
    ],
    placed: [],
    predictions: [],
    ...change,
  };
}

type Check = NumasfpSummary["checks"][number];

export const PASSED: Check = {
  what: "1-0-1 against 0-0-0 at 10 Gbps",
  unit: "%",
  ours: -51.78,
  paper: -52,
  tolerance: 6,
  bound: "within",
  passed: true,
  reason: null,
};

export const FAILED: Check = {
  what: "seconds below",
  unit: "s",
  ours: 2,
  paper: 1,
  tolerance: 0,
  bound: "most",
  passed: false,
  reason: "the link is slow",
};

export const NUMASFP_SUMMARY: NumasfpSummary = {
  kind: "numasfp",
  name: "numasfp-fig5",
  summary: "Which split costs what?",
  figure: "Fig. 5",
  machine: "xeon-gold-6126",
  runs: 1,
  passed: 1,
  failed: 1,
  checks: [PASSED, FAILED],
  cells: [
    {
      nf: "router",
      node: "remote",
      gbps: 8,
      ours: { ways: 5, mb_percent: 40 },
      paper: null,
      near: false,
    },
  ],
};

export const NUMASFP_RESULT: NumasfpResult = {
  kind: "numasfp",
  scenario: {
    name: "numasfp-fig5",
    summary: "Which split costs what?",
    kind: "numasfp",
    figure: "Fig. 5",
    machine: "xeon-gold-6126",
    frame_bytes: 64,
    flows: 1000,
    run: {
      what: "rates",
      lines: [{ name: "0-0-0", chain: ["onvm-router"], nodes: [0], against: null }],
      rates_gbps: [5, 10],
    },
    expect: [{ what: PASSED.what, paper: -52, tolerance: 6, unit: "%", bound: "within", if_missed: null }],
  },
  origin: result().origin,
  checks: [PASSED, FAILED],
  x: "offered, Gbps",
  lines: [
    { name: "0-0-0", unit: "Gbps", x: [5, 10], y: [5, 10] },
    { name: "ways", unit: "ways", x: [5, 10], y: [3, 5] },
  ],
  cells: [],
};
