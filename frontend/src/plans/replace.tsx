/** Asks for a re-placement of the whole fleet, or of one host alone, as a plan to review. */

import type { ReactNode } from "react";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import { useLive } from "@/live/store";
import { useActReason } from "@/session/permission";
import { AskPlan, useAskPlan } from "./ask-plan";

export function ReplaceFleet(): ReactNode {
  const chains = useLive((state) => state.chains.size);
  return <Replace host={null} why={chains === 0 ? "No chain is placed: there is nothing to re-place." : null} />;
}

/** Only what runs on this host may move; every other host stays as it is. */
export function ReplaceHost({ host }: { host: string }): ReactNode {
  const nfs = useLive((state) => state.nfs.get(host)?.size ?? 0);
  return <Replace host={host} why={nfs === 0 ? `No chain runs on ${host}: there is nothing to re-place.` : null} />;
}

function Replace({ host, why }: { host: string | null; why: string | null }): ReactNode {
  const intent = { kind: "replace" as const, host, keep: [] };
  const reason = useActReason("plans.apply");
  const ask = useAskPlan(intent);
  return (
    <>
      {ask.error && (
        <span className="bad" role="alert">
          {asProblem(ask.error).title}. {asProblem(ask.error).detail}
        </span>
      )}
      <AskPlan
        label={host === null ? "Re-place fleet" : "Re-place host"}
        title={host === null ? "Re-place the fleet" : `Re-place ${host}`}
        intent={intent}
        solving={DEFAULT_SOLVING}
        ask={ask}
        reason={reason ?? why}
      />
    </>
  );
}
