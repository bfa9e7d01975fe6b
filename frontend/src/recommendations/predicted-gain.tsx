/** What a recommendation is predicted to gain, with its interval and how far it is to be trusted. */

import type { ReactNode } from "react";
import type { Recommendation } from "@/api/types";
import { Figure } from "@/ui/marks";
import { trustText } from "./words";

export function PredictedGain({ of: one }: { of: Recommendation }): ReactNode {
  return (
    <Figure
      origin={one.provenance === "assumed" ? "assumed" : "predicted"}
      value={one.gain_mpps}
      unit="value × Mpps"
      low={one.low_mpps}
      high={one.high_mpps}
      why={trustText(one)}
    />
  );
}
