/** A chain's objectives in words and shapes: met, violated, no data. */

import type { ReactNode } from "react";
import type { ChainView, SloState } from "@/api/types";
import { LATENCY } from "@/capabilities/cannot";
import { useCannot } from "@/capabilities/use-cannot";
import { figure } from "@/lib/format";
import { Shape } from "@/ui/marks";

export function Verdict(props: {
  state: SloState | null;
  text: string;
  paused?: boolean;
  /** Why its host never measures it. */
  unmeasured?: string | null;
}): ReactNode {
  const { state, text, paused = false, unmeasured = null } = props;
  if (state === null) return <span className="t3">none</span>;
  if (state === "violated") {
    return (
      <span className="bad nowrap">
        <Shape name="bad" />
        {text}, violated
      </span>
    );
  }
  if (state === "met") {
    return (
      <span className="nowrap">
        <Shape name="ok" />
        {text}, met
      </span>
    );
  }
  if (unmeasured) {
    return (
      <span className="t3" title={unmeasured}>
        {text}, not measured
      </span>
    );
  }
  return (
    <span className="t3 nowrap">
      {text}, {paused ? "not evaluated" : "no data"}
    </span>
  );
}

export function ThroughputVerdict({ chain }: { chain: ChainView }): ReactNode {
  return (
    <Verdict
      state={chain.throughput_slo}
      paused={chain.spec.paused}
      text={`≥ ${figure(chain.spec.slo.min_throughput_mpps)} Mpps`}
    />
  );
}

export function LatencyVerdict({ chain }: { chain: ChainView }): ReactNode {
  const unmeasured = useCannot(chain, LATENCY);
  return (
    <Verdict
      state={chain.latency_slo}
      paused={chain.spec.paused}
      unmeasured={unmeasured}
      text={`≤ ${figure(chain.spec.slo.max_p95_ms)} ms p95`}
    />
  );
}

/** "edge-1: 1 → 1 → 0", cores in the chain's order; a dash while nothing is placed. */
export function placementText(chain: ChainView): string {
  const placed = [...chain.placement].sort((a, b) => a.position - b.position);
  const parts: string[] = [];
  let host = "";
  for (const { seat } of placed) {
    parts.push(seat.host === host ? `${seat.core}` : `${seat.host}: ${seat.core}`);
    host = seat.host;
  }
  return parts.length > 0 ? parts.join(" → ") : "–";
}
