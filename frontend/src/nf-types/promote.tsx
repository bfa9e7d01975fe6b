/** Lets plans use a model, or a whole fit, after a question that says what changes. */

import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { promoteFit } from "@/api/actions";
import { fitQuery, MODELS, modelsQuery, TRUST } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { ModelVersion } from "@/api/types";
import { cli } from "@/app/cli";
import { useActReason } from "@/app/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { type Promotion, promotionOf, whyNot } from "./promotion";

export function Promote({ version }: { version: ModelVersion }): ReactNode {
  const [asking, setAsking] = useState(false);
  const blocked = useActReason();
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
  const { promotion, fitVersion, error } = usePromotion(version, nfType);
  const client = useQueryClient();
  const order = useMutation({
    mutationFn: () => promoteFit(version.fit_id, fitVersion ?? 0, nfType === null ? null : [nfType]),
    onSettled: () => {
      for (const queryKey of [MODELS, TRUST]) void client.invalidateQueries({ queryKey });
    },
    onSuccess: onClose,
  });
  const problem = error ?? order.error;
  const waiting = promotion === null ? "Reading what is in use." : promotion.refused;
  return (
    <Confirm
      open
      title={`Promote fit ${version.fit_id} of ${version.host_model}`}
      action={what === "one" ? `Promote ${version.nf_type}` : "Promote the whole fit"}
      busy={order.isPending}
      reason={waiting}
      onConfirm={() => order.mutate()}
      onClose={onClose}
    >
      <Segmented<Whole>
        label="What shall be promoted"
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
      {promotion && <Changes promotion={promotion} fit={version.fit_id} />}
      <p>Plans that are made from now on use it; plans that wait for it go on. Nothing that runs is moved.</p>
      <CopyButton text={cli.promoteFit(version.fit_id, nfType)} />
      {problem && <ProblemNote problem={asProblem(problem)} />}
    </Confirm>
  );
}

function usePromotion(version: ModelVersion, nfType: string | null) {
  const fit = useQuery(fitQuery(version.fit_id));
  const models = useQuery(modelsQuery);
  const inUse = (models.data ?? []).filter(
    ({ state, host_model }) => state === "promoted" && host_model === version.host_model,
  );
  const others = [...new Set(inUse.map(({ fit_id }) => fit_id))].filter((id) => id !== version.fit_id);
  const fits = useQueries({ queries: others.map((id) => fitQuery(id)) });
  const ready = fit.data && models.data && fits.every(({ isPending }) => !isPending);
  const fitsInUse = new Map(fits.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
  return {
    promotion: ready ? promotionOf({ view: fit.data, inUse, fitsInUse, nfType }) : null,
    fitVersion: fit.data?.version,
    error: fit.error ?? models.error,
  };
}

/** So many names in a line; the rest is a number. */
const NAMED = 8;

function Changes({ promotion, fit }: { promotion: Promotion; fit: number }): ReactNode {
  const { gains, retires, leaves, refused } = promotion;
  return (
    <dl className="facts promotion">
      {gains.slice(0, NAMED).map(({ nfType, from }) => (
        <Change key={nfType} name={nfType}>
          {from === null ? "assumed figures" : `fit ${from}`} → <b className="strong">fit {fit}</b>
          {from !== null && from > fit && <span className="warn">, which is older</span>}
        </Change>
      ))}
      {gains.length > NAMED && <Change name="">and {gains.length - NAMED} more</Change>}
      {retires.map(({ nfType, from }) => (
        <Change key={nfType} name={nfType}>
          <span className="warn">fit {from} → assumed figures: its metric and scale are other ones</span>
        </Change>
      ))}
      {leaves.slice(0, NAMED).map(({ nfType, why }) => (
        <Change key={nfType} name={nfType}>
          <span className="t2">left out: {why}</span>
        </Change>
      ))}
      {refused && gains.length > 0 && (
        <Change name="Refused">
          <span className="bad">{refused}</span>
        </Change>
      )}
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
