/** The last change of shares of each core that its host divides by itself, before and after, with its cause. */

import type { ReactNode } from "react";
import type { SharingHost } from "@/api/types";
import { changeText } from "@/laws/coco/words";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { type Column, Table } from "@/ui/table";

interface Row {
  readonly core: number;
  readonly changed: NonNullable<SharingHost["cores"][number]["changed"]>;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: "core", head: "Core", rowHead: true, cell: ({ core }) => core },
  { key: "at", head: "Changed", cell: ({ changed }) => <When at={changed.at} /> },
  { key: "change", head: "Before and after", cell: ({ changed }) => changeText(changed) },
  {
    key: "why",
    head: "Why",
    className: "sentence",
    cell: ({ changed }) => <span className="t2">{changed.cause}</span>,
  },
];

export function ChangesTable({ host }: { host: SharingHost }): ReactNode {
  const rows = host.cores.flatMap(({ core, changed }): Row[] => (changed ? [{ core, changed }] : []));
  if (rows.length === 0) return null;
  return (
    <>
      <p className="section-body below-table t2">
        The last change of shares that the host made by itself, core by core:
      </p>
      <Table label="Shares moved by the host itself" columns={COLUMNS} rows={rows} rowKey={({ core }) => core} />
    </>
  );
}

function When({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}
