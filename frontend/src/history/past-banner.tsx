/** The fleet is not shown as it is: since when it was so, and the way back. */

import type { ReactNode } from "react";
import type { PastOf } from "@/api/history-queries";
import type { PastFleet } from "@/api/types";
import { count, duration } from "@/lib/format";
import { momentText } from "@/lib/time-axis";
import { Shape } from "@/ui/marks";

export function PastBanner(props: {
  at: string;
  past: PastFleet | null;
  gone: readonly string[];
  of?: PastOf | undefined;
  onBack: () => void;
}): ReactNode {
  const { at, past, gone } = props;
  const none = props.of?.chain
    ? "The chain was not reported"
    : props.of?.host
      ? "The host did not report"
      : "No host reported";
  const shown = Date.parse(past?.at ?? at) / 1000;
  return (
    <div className="banner past" role="status" data-testid="past">
      <Shape name="warn" />
      <p>
        <b className="strong">You look at {momentText(shown)}</b>
        {past === null ? ", which is being read. " : `: means of the ${duration(past.step_s)} from then on. `}
        {past !== null && past.hosts.length === 0 && `${none} in it, or it is no longer kept. `}
        {gone.length > 0 &&
          `${count(gone.length, "host")} that reported then left the fleet since: ${gone.join(", ")}. `}
        <span className="t2">
          Kept are utilisation, CPU, throughput and drops; not which cores were reserved then and are released since.
          Nothing here is live.
        </span>
      </p>
      <span className="end">
        <button type="button" className="btn" onClick={props.onBack}>
          Back to now
        </button>
      </span>
    </div>
  );
}
