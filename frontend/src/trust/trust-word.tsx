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

/** In a table's cell: a line for each verdict; whose it is only where predictors are judged differently. */
export function TrustLines({ trusts }: { trusts: readonly Trust[] }): ReactNode {
  const verdicts = [...new Set(trusts.map(({ verdict }) => verdict))];
  return verdicts.map((verdict) => {
    const own = trusts.filter((trust) => trust.verdict === verdict);
    const names = own.map(({ predictor }) => predictorName(predictor)).join(", ");
    return (
      <div key={verdict}>
        <VerdictText
          verdict={verdict}
          why={own.map(({ predictor, why }) => `${predictorName(predictor)}: ${why}`).join("\n")}
        />
        {verdicts.length > 1 && <span className="t3"> {names}</span>}
      </div>
    );
  });
}
