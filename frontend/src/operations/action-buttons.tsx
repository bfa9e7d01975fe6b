/** What an operator may ask of an operation, with the effect beside each button; what was refused stands below. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { actOnOperation } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { operationQuery } from "@/api/queries";
import type { Operation, OperationAction } from "@/api/types";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { ProblemNote } from "@/ui/problem-note";
import { offersOf } from "./actions";

export function ActionButtons({ operation, urgent }: { operation: Operation; urgent: boolean }): ReactNode {
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (action: OperationAction) => actOnOperation(operation.id, action),
    onSettled: () => void client.invalidateQueries(operationQuery(operation.id)),
  });
  const blocked = useActReason("operations.control") ?? (act.isPending ? "The order is being sent." : null);
  const offers = offersOf(operation, blocked);
  if (offers.length === 0) return null;
  return (
    <div className="actions-list">
      <div className="actions-grid">
        {offers.map((offer) => (
          <Fragment key={offer.action}>
            <Button
              look={urgent && offer.action === "retry" ? "primary" : offer.danger ? "danger" : "plain"}
              onClick={() => act.mutate(offer.action)}
              reason={offer.reason}
              reasonSide="below-left"
            >
              {offer.label}
            </Button>
            <span className={offer.reason ? "t3" : "t2"}>{offer.effect}</span>
          </Fragment>
        ))}
      </div>
      {act.error && <ProblemNote problem={asProblem(act.error)} onDismiss={() => act.reset()} />}
    </div>
  );
}
