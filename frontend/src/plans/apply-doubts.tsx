/** At the Apply button: which predictions were never tested, or did not hold, and the question before such a plan. */

import type { ReactNode } from "react";
import type { LossPreview, ModelUse, Plan } from "@/api/types";
import { count } from "@/lib/format";
import { Confirm } from "@/ui/dialog";
import { Shape } from "@/ui/marks";
import { InterruptionAsked } from "./handover";
import { type Doubts, doubtsOf } from "./status";

/** Models that are named; the evidence has all. */
const NAMED = 3;

/** Null where the plan changes nothing by a prediction: removals and settings are as ordered. */
export function planDoubts({ body }: Plan): Doubts | null {
  if (!body || body.changes.length === 0 || body.intent.kind === "remove" || body.intent.kind === "adjust") return null;
  return doubtsOf(body.evidence);
}

/** "distrusted predictions of nids, dpi", "none of its predictions was ever tested". */
export function doubtsText({ distrusted, untested, wholly }: Doubts): string | null {
  if (distrusted.length > 0) return `distrusted predictions of ${namesOf(distrusted)}`;
  if (wholly) return "none of its predictions was ever tested";
  return untested.length > 0 ? `untested predictions of ${namesOf(untested)}` : null;
}

function namesOf(models: readonly ModelUse[]): string {
  const names = [...new Set(models.map(({ nf_type }) => nf_type))];
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(", ")} and ${count(more, "other NF type")}` : names.join(", ");
}

export function DoubtsLine({ doubts }: { doubts: Doubts | null }): ReactNode {
  const text = doubts && doubtsText(doubts);
  if (!text) return null;
  return (
    <div className="warn" role="note">
      <Shape name="warn" />
      {text}
    </div>
  );
}

export function ConfirmApply(props: {
  open: boolean;
  plan: Plan;
  /** Null where none of its predictions is distrusted. */
  doubts: Doubts | null;
  /** What it interrupts; null: nothing. */
  loss: LossPreview | null;
  action: string;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}): ReactNode {
  const { plan, doubts, loss, ...rest } = props;
  const named = loss && ` and interrupt ${loss.chains.map(({ chain }) => chain).join(", ")}`;
  return (
    <Confirm {...rest} title={`Apply plan ${plan.id}${doubts ? " on distrusted predictions" : ""}${named ?? ""}?`}>
      {loss && <InterruptionAsked loss={loss} />}
      {doubts && <DoubtsAsked doubts={doubts} />}
    </Confirm>
  );
}

function DoubtsAsked({ doubts }: { doubts: Doubts }): ReactNode {
  const untested = doubts.untested.length > 0 ? namesOf(doubts.untested) : null;
  return (
    <>
      <p>This plan uses models whose predictions were wrong when measured:</p>
      <ul>
        {doubts.distrusted.map(({ nf_type, host_model, version, trust_why }) => (
          <li key={`${nf_type} ${host_model}`}>
            <Shape name="warn" />
            <b className="strong">{nf_type}</b> {version} on {host_model}: {trust_why ?? "its predictions were wrong"}
          </li>
        ))}
      </ul>
      {untested && <p>Never tested: {untested}.</p>}
      <p>Profile these NF types again to get reliable predictions.</p>
    </>
  );
}
