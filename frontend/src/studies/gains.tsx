/** What the study's first algorithm carries more than each other one. */

import type { ReactNode } from "react";
import type { PlacementSummary } from "@/api/types";
import { figure, signed } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { DotRows } from "./dot-rows";
import { runsNote, widthText } from "./estimate";

export function GainsSection({ summary }: { summary: PlacementSummary }): ReactNode {
  const { gains, sets } = summary;
  const first = sets[0]?.totals[0]?.algorithm;
  if (gains.length === 0 || !first) return null;
  return (
    <Section
      title={`Gain of ${first}`}
      note={
        <>
          how much more its placements carry than the others' · <Mark origin="simulated" />
          simulated · {runsNote(summary)}
        </>
      }
    >
      <DotRows
        label={`Gain of ${first}: ${gains.map(({ over, percent }) => `${figure(percent.value)} % over ${over}`).join(", ")}`}
        unit="percent"
        groups={[
          {
            title: "over",
            note: sets.length === 1 ? "" : "mean of all sets",
            rows: gains.map(({ over, percent }) => {
              const text = `${signed(percent.value)}${widthText(percent.half_width)} %`;
              return {
                name: over,
                dots: [{ look: "simulated", of: percent, title: `over ${over}: ${text}` }],
                end: text,
              };
            }),
          },
        ]}
      />
    </Section>
  );
}
