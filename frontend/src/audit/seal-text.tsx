/** How far the log is sealed, in a line; late where nothing has been for so long that something is wrong. */

import type { ReactNode } from "react";
import type { AuditSeal } from "@/api/types";
import { count, secondsSince, when } from "@/lib/format";

/** It is done every half minute. */
const LATE_S = 600;

export function SealText({ seal, now }: { seal: AuditSeal; now: number }): ReactNode {
  const { batch, waiting, waiting_since } = seal;
  const late = waiting_since !== null && secondsSince(waiting_since, now) > LATE_S;
  return (
    <>
      {batch && (
        <span title={`Batch ${batch.number}, digest ${batch.digest}`}>
          sealed up to {when(batch.sealed_at)}, batch {batch.number}
        </span>
      )}
      {late ? (
        <span className="bad">
          {count(waiting, "entry", "entries")} not sealed since {when(waiting_since)}: see the log of the worker
        </span>
      ) : (
        waiting > 0 && <span>{count(waiting, "entry waits", "entries wait")} to be sealed</span>
      )}
    </>
  );
}
