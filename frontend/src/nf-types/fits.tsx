/** Fits of a host model that are being made or failed, and asking for another. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { askForFit } from "@/api/actions";
import { fitsQuery, MODELS } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { FitBrief } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";

export function FitAgain({ hostModel }: { hostModel: string }): ReactNode {
  const client = useQueryClient();
  const reason = useActReason("models.promote");
  const fits = useQuery(fitsQuery(hostModel));
  const making = fits.data?.items.find(({ state }) => state === "fitting");
  const order = useMutation({
    mutationFn: () => askForFit(hostModel),
    onSettled: () => void client.invalidateQueries({ queryKey: fitsQuery(hostModel).queryKey }),
  });
  return (
    <>
      <span className="row-actions tight">
        <CopyButton text={cli.fitModels(hostModel)} curl={curls.fitModels(hostModel)} />
        <Button
          small
          reason={reason ?? (making || order.isPending ? "A fit is being made." : null)}
          onClick={() => order.mutate()}
        >
          Fit again
        </Button>
      </span>
      {order.error && <ProblemNote problem={asProblem(order.error)} onDismiss={() => order.reset()} />}
    </>
  );
}

/** What became of the newest fit, while that says more than the table of versions does. */
export function NewestFit({ hostModel }: { hostModel: string }): ReactNode {
  const newest = useQuery(fitsQuery(hostModel)).data?.items[0];
  useNewModels(newest);
  if (!newest || newest.state === "done") return null;
  return newest.error ? <ProblemNote problem={newest.error} /> : <Making fit={newest} />;
}

function Making({ fit }: { fit: FitBrief }): ReactNode {
  const now = useNow();
  return (
    <p className="state-line" role="status">
      Fit {fit.id} is being made, requested by {fit.created_by}, {ageOrTime(fit.created_at, now)}.
    </p>
  );
}

/** Reads models again when a fit is done. */
function useNewModels(newest: FitBrief | undefined): void {
  const client = useQueryClient();
  const known = useRef(newest?.state);
  useEffect(() => {
    if (known.current === "fitting" && newest?.state === "done") void client.invalidateQueries({ queryKey: MODELS });
    known.current = newest?.state;
  }, [client, newest?.state]);
}
