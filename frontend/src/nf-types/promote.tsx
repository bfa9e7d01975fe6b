/** Lets plans use a model, or a whole fit, after a question that says what changes. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { promoteFit } from "@/api/actions";
import { fitQuery, MODELS, promotionQuery, TRUST } from "@/api/model-queries";
import { asProblem, problemKind } from "@/api/problem";
import type { ModelVersion, Problem, PromotionPreview } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";

export function Promote({ version }: { version: ModelVersion }): ReactNode {
  const [asking, setAsking] = useState(false);
  const blocked = useActReason("models.promote");
  const why = version.state === "promoted" && !version.stale ? "Plans use it already." : whyNot(version);
  return (
    <>
      <Button small reason={why ?? blocked} reasonSide="below" onClick={() => setAsking(true)}>
        Promote<span className="hidden-text"> fit {version.fit_id}</span>
      </Button>
      {asking && <Question version={version} onClose={() => setAsking(false)} />}
    </>
  );
}

type Whole = "one" | "whole";

function Question({ version, onClose }: { version: ModelVersion; onClose: () => void }): ReactNode {
  const [what, setWhat] = useState<Whole>("one");
  const nfType = what === "one" ? version.nf_type : null;
  const fit = useQuery(fitQuery(version.fit_id));
  const preview = useQuery(promotionQuery(version.fit_id, nfType));
  const client = useQueryClient();
  const order = useMutation({
    mutationFn: () => promoteFit(version.fit_id, fit.data?.version ?? 0, nfType === null ? null : [nfType]),
    onSettled: () => {
      for (const queryKey of [MODELS, TRUST]) void client.invalidateQueries({ queryKey });
    },
    onSuccess: onClose,
  });
  const answer = preview.error && asProblem(preview.error);
  const refused = answer && problemKind(answer) === "not-promotable" ? answer : null;
  const problem = refused ? order.error : (fit.error ?? preview.error ?? order.error);
  const ready = fit.data && preview.data && !preview.error;
  return (
    <Confirm
      open
      title={`Promote fit ${version.fit_id} of ${version.host_model}`}
      action={what === "one" ? `Promote ${version.nf_type}` : "Promote the whole fit"}
      busy={order.isPending}
      reason={refused ? (refused.errors?.[0]?.message ?? refused.detail) : ready ? null : "Loading the changes."}
      onConfirm={() => order.mutate()}
      onClose={onClose}
    >
      <Segmented<Whole>
        label="What to promote"
        value={what}
        options={[
          { key: "one", text: version.nf_type },
          { key: "whole", text: "The whole fit" },
        ]}
        onChange={(next) => {
          order.reset();
          setWhat(next);
        }}
      />
      {ready && <Changes preview={preview.data} fit={version.fit_id} />}
      {refused && <Refused problem={refused} />}
      <p>New plans use it, and plans that wait for it continue. No running NF is moved.</p>
      <CopyButton text={cli.promoteFit(version.fit_id, nfType)} curl={curls.promoteFit(version.fit_id, nfType)} />
      {problem && <ProblemNote problem={asProblem(problem)} />}
    </Confirm>
  );
}

/** So many names in a line; the rest is a number. */
const NAMED = 8;

function Changes({ preview, fit }: { preview: PromotionPreview; fit: number }): ReactNode {
  const { promotes, retires, skips } = preview;
  return (
    <dl className="facts promotion">
      {promotes.slice(0, NAMED).map(({ nf_type, fit_id: from }) => (
        <Change key={nf_type} name={nf_type}>
          {from === null ? "assumed figures" : `fit ${from}`} → <b className="strong">fit {fit}</b>
          {from !== null && from > fit && <span className="warn">, which is older</span>}
        </Change>
      ))}
      {promotes.length > NAMED && <Change name="">and {promotes.length - NAMED} more</Change>}
      {retires.map(({ nf_type, fit_id: from }) => (
        <Change key={nf_type} name={nf_type}>
          <span className="warn">fit {from} → assumed figures: its metric and scale differ</span>
        </Change>
      ))}
      {skips.slice(0, NAMED).map(({ nf_type, why }) => (
        <Change key={nf_type} name={nf_type}>
          <span className="t2">left out: {why}</span>
        </Change>
      ))}
    </dl>
  );
}

function Refused({ problem }: { problem: Problem }): ReactNode {
  return (
    <dl className="facts promotion">
      {problem.errors?.slice(0, NAMED).map(({ field, message }) => (
        <Change key={field} name={field.slice(field.indexOf(".") + 1)}>
          <span className="bad">{message}</span>
        </Change>
      ))}
      {problem.next_actions?.map(({ label }) => (
        <Change key={label} name="Next step">
          {label}
        </Change>
      ))}
    </dl>
  );
}

function Change({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Why no plan may use a model; null: one may. */
function whyNot({ state, refusals = [], stale }: ModelVersion): string | null {
  if (state === "refused") return refusals.join("; ") || "it has no usable model";
  return stale ?? null;
}
