/** The hosts that CoCo's law looks at, sorted and narrowed as the address says. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { cocoHostsQuery } from "@/api/coco-queries";
import { asProblem } from "@/api/problem";
import { count, thousands } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { ColumnChoice } from "@/ui/column-choice";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { HOST_COLUMNS, type HostRow } from "./host-columns";
import type { CocoChange, CocoSearch } from "./search";
import { overloadedRows } from "./words";

/** Rows of a page: beside them a host is shown. */
const PAGE = 15;

export function HostsTable(props: { search: CocoSearch; onChange: (change: CocoChange) => void }): ReactNode {
  const { search, onChange } = props;
  const { data, error } = useQuery(cocoHostsQuery);
  const all = data?.items ?? [];
  const shown = useMemo(() => (search.overloaded ? overloadedRows(all) : all), [all, search.overloaded]);
  const rows = shown.map((row): HostRow => ({ row, chosen: row.host === search.host }));
  const onView = ({ sort, columns }: TableView) => onChange({ sort, columns });
  return (
    <Section
      title="Hosts"
      note={data ? `${thousands(shown.length)} of ${count(all.length, "host")} whose NFs share cores` : undefined}
      end={
        <>
          <label className="check-line">
            <input
              type="checkbox"
              checked={search.overloaded === true}
              onChange={(event) => onChange({ overloaded: event.target.checked ? true : undefined })}
            />{" "}
            Overloaded only
          </label>
          <ColumnChoice columns={HOST_COLUMNS} view={search} onView={onView} small />
          <CopyButton text={cli.cocoHosts()} curl={curls.cocoHosts()} />
        </>
      }
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading hosts</p>}
      {data && all.length > 0 && shown.length === 0 && (
        <p className="section-body t2">No core needs more time than it has.</p>
      )}
      {data && all.length === 0 && (
        <p className="section-body t2">
          No host yet. The law looks at hosts where more than one NF stands on some core: elsewhere every NF has a core
          of its own, and there is nobody to push aside.
        </p>
      )}
      {rows.length > 0 && (
        <SortableTable
          label="Hosts in CoCo’s law"
          columns={HOST_COLUMNS}
          rows={rows}
          rowKey={({ row }) => row.host}
          rowClass={({ chosen }) => (chosen ? "chosen" : "")}
          view={search}
          onView={onView}
          pages={{ size: PAGE, one: "host" }}
        />
      )}
    </Section>
  );
}
