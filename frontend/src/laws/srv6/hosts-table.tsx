/** The hosts that SRv6-INT's global loop looks at, sorted and narrowed as the address says. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { asProblem } from "@/api/problem";
import { srv6HostsQuery } from "@/api/srv6-queries";
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
import type { Srv6Change, Srv6Search } from "./search";
import { saturatedRows } from "./words";

/** Rows of a page: beside them a host is shown. */
const PAGE = 15;

export function HostsTable(props: { search: Srv6Search; onChange: (change: Srv6Change) => void }): ReactNode {
  const { search, onChange } = props;
  const { data, error } = useQuery(srv6HostsQuery);
  const all = data?.items ?? [];
  const shown = useMemo(() => (search.saturated ? saturatedRows(all) : all), [all, search.saturated]);
  const rows = shown.map((row): HostRow => ({ row, chosen: row.host === search.host }));
  const onView = ({ sort, columns }: TableView) => onChange({ sort, columns });
  return (
    <Section
      title="Hosts"
      note={data ? `${thousands(shown.length)} of ${count(all.length, "host")} with quota bounds` : undefined}
      end={
        <>
          <label className="check-line">
            <input
              type="checkbox"
              checked={search.saturated === true}
              onChange={(event) => onChange({ saturated: event.target.checked ? true : undefined })}
            />{" "}
            Those that need more
          </label>
          <ColumnChoice columns={HOST_COLUMNS} view={search} onView={onView} small />
          <CopyButton text={cli.srv6Hosts()} curl={curls.srv6Hosts()} />
        </>
      }
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading hosts</p>}
      {data && all.length > 0 && shown.length === 0 && (
        <p className="section-body t2">No NF needs more than its host has.</p>
      )}
      {data && all.length === 0 && (
        <p className="section-body t2">
          No host yet. The law looks at chains with quota bounds on hosts whose packets measure themselves: how long an
          NF may have its packets is said there, and elsewhere nobody knows.
        </p>
      )}
      {rows.length > 0 && (
        <SortableTable
          label="Hosts in SRv6-INT’s global loop"
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
