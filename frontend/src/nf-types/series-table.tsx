/** The figures of a plot as a table: whoever cannot see the picture, or wants its numbers, has them. */

import type { ReactNode } from "react";
import { count, figure } from "@/lib/format";
import { PagedTable } from "@/ui/pager";
import type { PlotAxis, Series } from "@/ui/plot";
import type { PlotPoint } from "@/ui/plot-geometry";

interface Row extends PlotPoint {
  readonly key: string;
  readonly series: string;
}

export function SeriesTable(props: { series: readonly Series[]; x: PlotAxis; y: PlotAxis }): ReactNode {
  const { series, x, y } = props;
  const rows = series.flatMap(({ name, look, points }): Row[] =>
    points.map((point, index) => ({ ...point, key: `${look} ${name} ${index}`, series: label(name, look) })),
  );
  if (rows.length === 0) return null;
  return (
    <details className="more plot-figures">
      <summary>As a table, {count(rows.length, "row")}</summary>
      <PagedTable<Row>
        label={`${y.title} over ${x.title}`}
        size={20}
        one="row"
        pagesOf={`${y.title} over ${x.title}`}
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          { key: "series", head: "Of", cell: (row) => row.series },
          { key: "x", head: x.title, align: "right", cell: (row) => (x.whole ? Math.round(row.x) : figure(row.x)) },
          { key: "y", head: y.title, align: "right", cell: (row) => figure(row.y) },
          {
            key: "half",
            head: "±",
            align: "right",
            cell: ({ half }) => <span className="interval">{half == null ? "–" : figure(half)}</span>,
          },
          {
            key: "what",
            head: "Placement",
            secondRank: true,
            cell: ({ title }) => <span className="t3">{title}</span>,
          },
        ]}
      />
    </details>
  );
}

function label(name: string, look: Series["look"]): string {
  return look === "band" ? `${name} curve` : look === "predicted" ? "predicted" : name;
}
