/** How chains that a plan starts will run, where that is not as ever. */

import type { ReactNode } from "react";
import type { PlanBody } from "@/api/types";
import { runWords } from "./run-words";

export function StartSettings({ body }: { body: PlanBody }): ReactNode {
  const starting = startSettings(body);
  if (starting.length === 0) return null;
  return (
    <ul className="section-body t2" aria-label="How chains that start will run">
      {starting.map(([chain, words]) => (
        <li key={chain}>
          <b className="strong">{chain}</b> starts: {words}
        </li>
      ))}
    </ul>
  );
}

/** [chain, words] by the plan's orders. */
export function startSettings({ changes, target }: Pick<PlanBody, "changes" | "target">): [string, string][] {
  const starting = new Set(changes.filter(({ kind }) => kind === "start").map(({ chain }) => chain));
  return target
    .flatMap(({ content }) => content.chains ?? [])
    .filter(({ chain }) => starting.has(chain))
    .map(({ chain, execution = "isolated", paused = false, nfs }): [string, string] => {
      const named = nfs.map((nf) => ({ ...nf, name: nf.nf_id.slice(chain.length + 1) }));
      return [chain, runWords({ execution, paused, nfs: named })];
    })
    .filter(([, words]) => words !== "");
}
