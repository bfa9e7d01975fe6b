/** The head of a column of figures, with where they come from. */

import type { ReactNode } from "react";
import { Mark } from "./marks";

/** The head of a column of figures of one origin. */
export function Head({ origin, text }: { origin: "simulated" | "predicted"; text: string }): ReactNode {
  return (
    <span className="nowrap">
      <Mark origin={origin} />
      {text}
    </span>
  );
}
