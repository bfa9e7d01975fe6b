/** Cells of tables: what is predicted of a chain as it stands, and how far what it carries is off. */

import type { ReactNode } from "react";
import type { StandingPrediction } from "@/api/types";
import { differenceText } from "@/lib/difference";
import { DASH } from "@/lib/format";
import { Figure, Shape } from "@/ui/marks";
import type { Unit } from "./model";
import { whyNotCompared } from "./prediction-words";
import { differencePercent, isInside, originOf } from "./predictions";

type Standing = StandingPrediction | null;

export function Predicted({ standing }: { standing: Standing }): ReactNode {
  return (
    <Figure
      origin={standing ? originOf(standing) : "predicted"}
      value={standing?.predicted_mpps}
      low={standing?.low_mpps}
      high={standing?.high_mpps}
      {...whyOf(standing)}
    />
  );
}

function whyOf(standing: Standing): { why?: string } {
  if (!standing) return { why: "no prediction for its present state" };
  return standing.assumed ? { why: "uses an assumed model that was not fitted here" } : {};
}

/** In a table of cores: of the NF that its chain's difference belongs to. */
export function UnitDifference({ unit }: { unit: Pick<Unit, "nf" | "standing" | "blamed"> }): ReactNode {
  const { nf, standing, blamed } = unit;
  if (!nf) return null;
  if (!blamed || blamed.nfId === nf.nf_id || standing?.test !== "informative")
    return <Difference standing={standing} />;
  const name = blamed.nfId.slice(nf.chain.length + 1);
  return (
    <span
      className="t3 nowrap"
      title={`${name} ${blamed.by === "measured" ? "limits" : "was predicted to limit"} ${nf.chain}`}
    >
      of {name}
    </span>
  );
}

/** A word for what lies outside of its interval; a dash, with the reason on hover, where nothing is compared. */
export function Difference({ standing }: { standing: Standing }): ReactNode {
  if (!standing) return <span className="t3">{DASH}</span>;
  const why = whyNotCompared(standing);
  if (why) {
    return (
      <span className="t3 nowrap" title={why}>
        {standing.test ? "not tested" : DASH}
      </span>
    );
  }
  const outside = isInside(standing) === false;
  return (
    <span className={outside ? "figure warn nowrap" : "figure nowrap"}>
      {outside && <Shape name="warn" />}
      {differenceText(differencePercent(standing))}
      {outside && " outside"}
    </span>
  );
}
