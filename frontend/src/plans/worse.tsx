/** What the plan is predicted to do worse to chains that run, beside the button that would do it. */

import type { ReactNode } from "react";
import type { PlanBody } from "@/api/types";
import { count } from "@/lib/format";
import { Shape } from "@/ui/marks";

type Worse = NonNullable<PlanBody["worse"]>[number];

/** More would push the buttons off the page; the rest is counted. */
const MOST = 3;

export function WorseLine({ body }: { body: PlanBody | null }): ReactNode {
  const worse = body?.worse ?? [];
  if (worse.length === 0) return null;
  const broken = worse.some(({ breaks_slo }) => breaks_slo);
  const rest = worse.length - MOST;
  return (
    <div className={`worse-line ${broken ? "bad" : "warn"}`} role="note" aria-label="Predicted to get worse">
      <Shape name={broken ? "bad" : "warn"} />
      <span>
        <b>Predicted to get worse.</b>{" "}
        {worse.slice(0, MOST).map((one) => (
          <span key={`${one.chain}/${one.what}`}>{sentence(one)} </span>
        ))}
        {rest > 0 && `And ${count(rest, "more effect")}.`}
      </span>
    </div>
  );
}

/** "edge: 6.60 → 6.20 Mpps." */
function sentence({ chain, detail }: Worse): string {
  return `${chain}: ${detail.replace("->", "→")}.`;
}
