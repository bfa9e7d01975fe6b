/** CoCo's Fig. 4 on a host: web.a and web.b on core 0, web.c and web.d on core 1; web.a has grown. */

import type { CocoElement, CocoHost, CocoHostRow, CocoParameters, Recommendation } from "@/api/types";
import { AT } from "./fixtures";

export function element(name: string, change: Partial<CocoElement> = {}): CocoElement {
  return {
    nf_id: `web.${name}`,
    chain: "web",
    nf_type: "firewall",
    use: 0.1,
    needs: 0.12,
    stays: false,
    goes_to: null,
    ...change,
  };
}

export function cocoHost(change: Partial<CocoHost> = {}): CocoHost {
  return {
    host: "edge-1",
    mode: "recommend",
    stopped: null,
    provenance: "simulated",
    evaluated_at: AT,
    reason: "a push is recommended; core 0 needs 120 % of its time",
    full: 0.9,
    cores: [
      {
        core: 1,
        node: 0,
        slots: 4,
        others: 0.05,
        needs: 0.29,
        elements: [element("c"), element("d")],
      },
      {
        core: 0,
        node: 0,
        slots: 4,
        others: 0,
        needs: 1.2,
        elements: [element("a", { use: 0.6, needs: 0.72 }), element("b", { use: 0.4, needs: 0.48, goes_to: 1 })],
      },
      { core: 2, node: 1, slots: 4, others: 0, needs: 0, elements: [] },
    ],
    hops: [{ chain: "web", from_core: 0, to_core: 1, mpps: 1, other_node: false }],
    push: { core: 0, element: "web.a", moves: { "web.b": 1 }, lacks: 0.2, freed: 0.48 },
    shared_cores: [],
    rests_until: null,
    recommendation_id: 1,
    ...change,
  };
}

export function cocoRow(host: string, change: Partial<CocoHostRow> = {}): CocoHostRow {
  return {
    host,
    mode: "recommend",
    chains: 1,
    overloaded: 0,
    fullest_percent: 80,
    short_mpps: 0,
    reason: "no core needs more time than it has",
    evaluated_at: AT,
    provenance: "simulated",
    recommendation_id: null,
    ...change,
  };
}

export const COCO_PARAMETERS: CocoParameters = {
  law: "coco",
  hold_intervals: 3,
  lost_percent: 1,
  full_percent: 90,
  other_work_percent: 100,
  rule: "published",
  move_price: 1,
  rest_s: 10,
  late_s: 2.5,
};

/** Of the swap's shape: one move on one host. */
export function push(of: Recommendation): Recommendation {
  return {
    ...of,
    law: "coco",
    chains: ["web"],
    moves: 1,
    gain_gbps: 1.6,
    because: "core 0 lacks 20 % of its time, since web.a has grown",
  };
}
