/** The buttons of an operation, in the order of their risk, each with its effect or the reason it is disabled. Pure. */

import type { ActionOffer, Operation, OperationAction } from "@/api/types";
import { operationEnded } from "@/states/derived";

export interface Offer {
  readonly action: OperationAction;
  readonly label: string;
  /** Null: it may be pressed. */
  readonly reason: string | null;
  readonly effect: string;
  readonly danger: boolean;
}

const LABELS: Record<OperationAction, string> = {
  retry: "Retry",
  rollback: "Roll back",
  cancel: "Cancel",
  fail: "Give up",
};
const ORDER: readonly OperationAction[] = ["retry", "rollback", "cancel", "fail"];

/** Of an operation that has ended only what can be done: nothing else will ever be. */
export function offersOf(operation: Operation, blocked: string | null): Offer[] {
  const offered = new Map<OperationAction, ActionOffer>(operation.actions.map((offer) => [offer.action, offer]));
  const shown = operationEnded(operation.state) ? ORDER.filter((action) => offered.get(action)?.allowed) : ORDER;
  return shown.map((action) => {
    const offer = offered.get(action);
    const allowed = offer?.allowed ?? false;
    const cause = offer?.reason ?? "The console does not offer it now.";
    return {
      action,
      label: LABELS[action],
      reason: allowed ? blocked : cause,
      effect: cause,
      danger: action === "cancel" || action === "fail",
    };
  });
}
