/** A count as filled and empty pips, with the figure beside it for whoever does not see them. */

import type { ReactNode } from "react";
import { thousands } from "@/lib/format";

/** More are a figure: nobody counts them. */
const MOST = 16;

/** `of`: how many there can be. `look`: what a filled one means. */
export function Pips(props: { n: number; of: number; label: string; look?: "bad" | "used" }): ReactNode {
  const { n, of, label, look = "used" } = props;
  const text = `${thousands(n)} of ${thousands(of)}`;
  if (of > MOST) {
    return (
      <span className="nowrap" title={label}>
        {text}
      </span>
    );
  }
  return (
    <span className="pips" role="img" aria-label={`${label}: ${text}`} title={`${label}: ${text}`}>
      {Array.from({ length: of }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pips are their indices
        <i key={at} className={at < n ? look : ""} />
      ))}
    </span>
  );
}

/** Seconds running in which a chain fell short: no more pips than one beyond the limit, and a figure for all above. */
export function ViolationPips({ seconds, limit }: { seconds: number; limit: number }): ReactNode {
  const most = limit + 1;
  return (
    <span className={seconds > limit ? "bad nowrap" : "nowrap"}>
      <Pips n={Math.min(seconds, most)} of={most} label="Seconds running below 99 % of the offered rate" look="bad" />
      {seconds > most && ` ${thousands(seconds)} s`}
    </span>
  );
}
