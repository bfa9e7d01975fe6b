/** Cores that the host's agent divides by itself: shares now, the last change of each and its cause. */

import type { ReactNode } from "react";
import type { SharedCore } from "@/api/types";
import { ageOrTime, DASH } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { type Column, Table } from "@/ui/table";
import { changeText, lawText, sharesText } from "./words";

const COLUMNS: readonly Column<SharedCore>[] = [
  { key: "core", head: "Core", rowHead: true, cell: ({ core }) => core },
  { key: "law", head: "By", cell: ({ law }) => (law === null ? DASH : lawText(law)) },
  { key: "now", head: "Shares now", cell: sharesText },
  { key: "at", head: "Changed", cell: ({ changed }) => (changed ? <When at={changed.at} /> : DASH) },
  { key: "change", head: "Before and after", cell: ({ changed }) => (changed ? changeText(changed) : DASH) },
  { key: "why", head: "Why", className: "sentence", cell: Why },
];

export function DividedCores({ cores }: { cores: readonly SharedCore[] }): ReactNode {
  return (
    <>
      <p className="section-body t2">
        The host divides these cores by itself, ten times a second, by the law that share bounds of their chains name.
        That pays between chains: NFs of one chain wait for each other whatever their shares.
      </p>
      <Table label="Shares moved by the host itself" columns={COLUMNS} rows={cores} rowKey={({ core }) => `${core}`} />
    </>
  );
}

function When({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}

function Why({ held, changed }: SharedCore): ReactNode {
  return held ? <span className="warn">{held}</span> : <span className="t2">{changed?.cause ?? "as ordered"}</span>;
}
