/** A sentence about the fleet that is true of the last picture only, and is marked so while nothing newer arrives. */

import type { ReactNode } from "react";
import { useStaleSince } from "./freshness";

/** "No chain runs."; of a picture that is stale "At 14:41:52: No chain runs." */
export function Claim({ children }: { children: ReactNode }): ReactNode {
  const since = useStaleSince();
  return since === null ? (
    children
  ) : (
    <span className="stale-claim">
      At {since}: {children}
    </span>
  );
}
