/** The verdict on a predictor, with its shape. */

import type { ReactNode } from "react";
import type { Trust, TrustVerdict } from "@/api/types";
import { Shape } from "@/ui/marks";
import { predictorName, VERDICTS } from "./words";

export function VerdictText({ verdict, why }: { verdict: TrustVerdict; why?: string | undefined }): ReactNode {
  const { word, shape, tone } = VERDICTS[verdict];
  return (
    <span className={`nowrap ${tone}`} title={why}>
      <Shape name={shape} />
      {word}
    </span>
  );
}

/** In a table's cell: a line for each predictor. */
export function TrustLines({ trusts }: { trusts: readonly Trust[] }): ReactNode {
  return trusts.map((trust) => (
    <div key={trust.predictor}>
      <VerdictText verdict={trust.verdict} why={trust.why} />{" "}
      <span className="t3 nowrap">{predictorName(trust.predictor)}</span>
    </div>
  ));
}
