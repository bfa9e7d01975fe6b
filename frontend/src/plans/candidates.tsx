/** What algorithms' placements are worth by the predictor that chose among them. */

import type { ReactNode } from "react";
import type { HostEvidence } from "@/api/types";
import { PREDICTOR_WORDS } from "./status";

/** Of a host that has some, with as many digits as tell them apart: "octans_extended 7.10, exact 6.80 (optimal under Octans' equations)", the best first. */
export function Candidates({
  host: { candidates = [], improved, predictor = "octans" },
}: {
  host: HostEvidence;
}): ReactNode {
  return (
    <>
      {candidates.map(({ algorithm, score, proved }, place) => (
        <span key={algorithm}>
          {place > 0 && ", "}
          <span className="nowrap">
            {algorithm} {score.toFixed(2)}
          </span>
          {proved && <span className="t3"> (optimal under Octans' equations)</span>}
        </span>
      ))}
      <span className="t3">
        {" "}
        by {PREDICTOR_WORDS[predictor]}
        {improved ? "; moves and swaps of NFs found a better placement" : ""}
      </span>
    </>
  );
}
