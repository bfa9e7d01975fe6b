/** Moves one NF to a core that the operator chooses by what is predicted there: makes a plan, reviewed like any other. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import { moveTargetsQuery } from "@/api/queries";
import type { NfView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { inRank, type MoveTarget, targetNotes, targetText } from "./migration-targets";

/** The button, and in its place the choice once it was pressed. The host's page keeps which NF is to move. */
export function Migrate(props: {
  nf: NfView;
  moving?: boolean | undefined;
  onMoving?: ((moving: boolean) => void) | undefined;
}): ReactNode {
  const [own, setOwn] = useState(false);
  const reason = useActReason("plans.apply");
  const set = props.onMoving ?? setOwn;
  if (props.moving ?? own) return <MigrateForm nf={props.nf} onClose={() => set(false)} />;
  return (
    <Button small onClick={() => set(true)} reason={reason} reasonSide="below-left">
      Migrate
    </Button>
  );
}

/** Plans the move at once: the plan's page is the preview. */
export function useMove(nf: NfView | undefined) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (core: number) => {
      if (!nf) throw new Error("This NF is no longer placed.");
      return askForPlan({ kind: "migrate", nf_id: nf.nf_id, host: nf.seat.host, core }, DEFAULT_SOLVING);
    },
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
}

export function MigrateForm({ nf, onClose }: { nf: NfView; onClose: () => void }): ReactNode {
  const { data, error, isPending } = useQuery(moveTargetsQuery(nf.nf_id));
  const act = useActReason("plans.apply");
  const move = useMove(nf);
  const reason = act ?? (move.isPending ? "A plan is being made." : null);
  const [open, closed] = inRank(data?.cores ?? []);
  return (
    <section className="migrate" aria-label={`Migrate ${nf.nf_id}`}>
      {isPending && <p className="late t2">Predicting every core</p>}
      {error && <ProblemNote problem={asProblem(error)} />}
      {data && (
        <p className="t2">
          {data.note ??
            `Predicted throughput of ${data.chain} for each core, best first. Click a core to plan the move.`}
        </p>
      )}
      <ul className="move-targets">
        {open.map((target) => (
          <li key={target.core}>
            <Button small onClick={() => move.mutate(target.core)} reason={reason} reasonSide="below-left">
              Plan the move to core {target.core}
            </Button>
            <Effect target={target} now={data?.now_mpps ?? null} />
          </li>
        ))}
      </ul>
      {data && open.length === 0 && <p className="warn">No other core of {data.host} can take it.</p>}
      {closed.length > 0 && (
        <details>
          <summary>{closed.length} others cannot take it</summary>
          <ul className="t2">
            {closed.map((target) => (
              <li key={target.core}>
                core {target.core}: {target.why_not}
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className="row-actions">
        <Button small look="quiet" onClick={onClose}>
          Close
        </Button>
        {open[0] && (
          <CopyButton
            text={cli.migrate(nf.nf_id, open[0].core)}
            curl={curls.migrate(nf.nf_id, nf.seat.host, open[0].core)}
          />
        )}
      </div>
      {move.error && <ProblemNote problem={asProblem(move.error)} onDismiss={() => move.reset()} />}
    </section>
  );
}

function Effect({ target, now }: { target: MoveTarget; now: number | null }): ReactNode {
  const bad = target.worse.some(({ breaks_slo }) => breaks_slo);
  const notes = targetNotes(target);
  return (
    <span className={bad ? "bad" : target.worse.length > 0 ? "warn" : "t2"}>
      node {target.node}, {targetText(target, now)}
      {notes && <span className="block">{notes}</span>}
    </span>
  );
}
