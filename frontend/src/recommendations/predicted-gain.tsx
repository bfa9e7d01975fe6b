/** What a recommendation is predicted to gain, with its interval and how far it is to be trusted. */

import type { ReactNode } from "react";
import type { Recommendation } from "@/api/types";
import { Figure } from "@/ui/marks";
import { gainOf, trustText } from "./words";

export function PredictedGain({ of: one }: { of: Recommendation }): ReactNode {
  const { value, unit } = gainOf(one);
  return (
    <Figure
      origin={one.provenance === "assumed" ? "assumed" : "predicted"}
      value={value}
      unit={unit}
      low={one.low_mpps}
      high={one.high_mpps}
      why={trustText(one)}
    />
  );
}
