/** Versions of an NF type's model on a host model: state, error beside the null models, and the way to use one. */

import type { ReactNode } from "react";
import type { ModelVersion } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { ModelText } from "@/states/model-text";
import { Button } from "@/ui/button";
import { Mark } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { type Column, Table } from "@/ui/table";
import { METHODS } from "./model-state";
import { Promote } from "./promote";
import { briefOf } from "./scores";

const SCORES: readonly Column<ModelVersion>[] = [
  { key: "octans", head: "Octans", align: "right", cell: (version) => briefOf(version).octans },
  { key: "curves", head: "Curves", align: "right", cell: (version) => briefOf(version).curves },
  {
    key: "null",
    head: "Best null model",
    align: "right",
    cell: (version) => <span className="t2">{briefOf(version).nulls}</span>,
  },
  {
    key: "interval",
    head: "Inside, % (width)",
    align: "right",
    cell: (version) => {
      const { coverage, width } = briefOf(version);
      return (
        <>
          {coverage} <span className="t3">({width})</span>
        </>
      );
    },
  },
];

export function VersionsTable(props: {
  versions: readonly ModelVersion[];
  /** Fit whose model the page shows. */
  shown: number | null;
  onShow: (fitId: number) => void;
}): ReactNode {
  const { versions, shown, onShow } = props;
  const pages = usePages(versions, 8);
  const columns: readonly Column<ModelVersion>[] = [
    { key: "state", head: "Version", cell: (version) => <ModelText model={version} /> },
    { key: "nf", head: "Of NF type version", align: "right", secondRank: true, cell: ({ nf_version }) => nf_version },
    { key: "method", head: "Made by", secondRank: true, cell: ({ method }) => METHODS[method] },
    {
      key: "samples",
      head: "Samples",
      align: "right",
      cell: ({ samples, basis }) => (
        <span className="nowrap">
          <Mark origin={basis} />
          {samples}
        </span>
      ),
    },
    ...SCORES,
    { key: "at", head: "Made", secondRank: true, cell: (version) => <Made version={version} /> },
    {
      key: "acts",
      head: <span className="hidden-text">Actions</span>,
      align: "right",
      cell: (version) => (
        <span className="row-actions tight version-acts">
          <Button small aria-pressed={version.fit_id === shown} onClick={() => onShow(version.fit_id)}>
            {version.fit_id === shown ? "Shown" : "Show"}
            <span className="hidden-text"> fit {version.fit_id}</span>
          </Button>
          <Promote version={version} />
        </span>
      ),
    },
  ];
  return (
    <>
      <div className="types-table">
        <Table label="Versions" columns={columns} rows={pages.shown} rowKey={({ id }) => id} />
      </div>
      <Pager pages={pages} one="version" />
      <p className="section-body t3">
        Mean absolute error of the drop in points, on held-out mixes of competitors; how many lay inside the 95 %
        interval of Octans, and its median width.
      </p>
    </>
  );
}

function Made({ version: { created_at, decided_by, decided_at } }: { version: ModelVersion }): ReactNode {
  const now = useNow();
  return (
    <span className="t2 nowrap">
      {ageOrTime(created_at, now)}
      {decided_by && decided_at && (
        <div className="t3">
          promoted by {decided_by}, {ageOrTime(decided_at, now)}
        </div>
      )}
    </span>
  );
}
