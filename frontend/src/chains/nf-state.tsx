/** An NF's state in words: where it was found and whether it runs. */

import type { ReactNode } from "react";
import type { NfView } from "@/api/types";
import { Shape } from "@/ui/marks";

export function NfStateText({ nf }: { nf: NfView }): ReactNode {
  if (nf.actual_core !== null && nf.actual_core !== nf.seat.core) {
    return (
      <span className="warn">
        <Shape name="warn" />
        found on core {nf.actual_core}
      </span>
    );
  }
  if (nf.state === "crashed") {
    return (
      <span className="bad">
        <Shape name="bad" />
        crashed
      </span>
    );
  }
  if (nf.paused && nf.state === "running") {
    return (
      <span className="nowrap">
        <Shape name="idle" />
        paused
      </span>
    );
  }
  return nf.state ?? "not reported";
}
