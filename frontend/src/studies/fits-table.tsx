/** What models each run was placed or predicted with, and which could not be used. */

import type { ReactNode } from "react";
import type { PlacementResult } from "@/api/types";
import { figure, thousands } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import { Section } from "@/ui/section";
import type { Column } from "@/ui/table";

type Fit = PlacementResult["fits"][number];

const COLUMNS: readonly Column<Fit>[] = [
  { key: "draw", head: "Draw of priors", cell: ({ draw }) => draw },
  { key: "seed", head: "Seed of noise", align: "right", cell: ({ seed }) => seed },
  { key: "points", head: "Points", align: "right", cell: ({ points }) => thousands(points) },
  { key: "metric", head: "Metric", cell: ({ metric }) => <span className="mono">{metric}</span> },
  {
    key: "qualifies",
    head: "Qualifies",
    cell: ({ qualifies }) =>
      qualifies ? (
        <span className="nowrap">
          <Shape name="ok" />
          yes
        </span>
      ) : (
        <span className="nowrap warn">
          <Shape name="warn" />
          none does; not validated
        </span>
      ),
  },
  { key: "scale", head: "Scale", align: "right", secondRank: true, cell: ({ scale }) => figure(scale) },
  {
    key: "refusals",
    head: "Models refused",
    cell: ({ refusals }) => {
      const refused = Object.entries(refusals);
      if (refused.length === 0) return <span className="t3">none</span>;
      return (
        <ul>
          {refused.map(([nfType, reasons]) => (
            <li key={nfType}>
              <b className="strong">{nfType}</b> {reasons.join("; ")}
            </li>
          ))}
        </ul>
      );
    },
  },
];

export function FitsSection({ fits }: { fits: readonly Fit[] }): ReactNode {
  return (
    <Section title="Fits" note="one a run: a sample of the twin's uncertain parameters, and a noise seed">
      <PagedTable<Fit>
        label="Fits"
        columns={COLUMNS}
        rows={fits}
        rowKey={({ draw, seed }) => `${draw} ${seed}`}
        size={12}
        one="fit"
      />
    </Section>
  );
}
