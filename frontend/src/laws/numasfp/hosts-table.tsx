/** The hosts that NUMASFP's law looks at, sorted and narrowed as the address says. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { numasfpHostsQuery } from "@/api/numasfp-queries";
import { asProblem } from "@/api/problem";
import { carryingCores, givenWaysOf } from "@/capabilities/given-ways";
import { count, thousands } from "@/lib/format";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { ColumnChoice } from "@/ui/column-choice";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { HOST_COLUMNS, type HostRow } from "./host-columns";
import type { LawChange, LawSearch } from "./search";
import { byNeed, violatedRows } from "./words";

/** Rows of a page: beside them a host is shown. */
const PAGE = 15;

export function HostsTable(props: { search: LawSearch; onChange: (change: LawChange) => void }): ReactNode {
  const { search, onChange } = props;
  const { data, error } = useQuery(numasfpHostsQuery);
  const hosts = useLive((state) => state.hosts);
  const nfs = useLive((state) => state.nfs);
  const all = data?.items ?? [];
  const [text, setText] = useState("");
  const find = useDeferredValue(text.trim().toLowerCase());
  const shown = useMemo(() => {
    const named = find === "" ? all : all.filter(({ host }) => host.includes(find));
    return byNeed(search.violated ? violatedRows(named) : named);
  }, [all, search.violated, find]);
  const rows = shown.map((row): HostRow => {
    const here = [...(nfs.get(row.host)?.values() ?? [])];
    const host = hosts.get(row.host);
    return {
      row,
      ways: givenWaysOf(host, here),
      cores: carryingCores(host, here),
      chosen: row.host === search.host,
    };
  });
  const onView = ({ sort, columns }: TableView) => onChange({ sort, columns });
  return (
    <Section
      title="Hosts"
      note={data && noteOf(shown.length, all.length, search.sort)}
      end={
        <>
          <label className="check-line">
            <input
              type="checkbox"
              checked={search.violated === true}
              onChange={(event) => onChange({ violated: event.target.checked ? true : undefined })}
            />{" "}
            Violated only
          </label>
          <ColumnChoice columns={HOST_COLUMNS} view={search} onView={onView} small />
          <CopyButton text={cli.numasfpHosts()} curl={curls.numasfpHosts()} />
        </>
      }
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading hosts</p>}
      {all.length > PAGE && (
        <div className="narrow">
          <input
            className="input"
            type="search"
            aria-label="Show only hosts whose name contains"
            placeholder="host"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      )}
      {data && all.length > 0 && shown.length === 0 && (
        <p className="section-body t2">
          {search.violated ? "No host" : "No host’s name"}
          {search.violated && find !== "" && " of that name"}
          {search.violated ? " has a violated chain." : ` contains “${find}”.`}
        </p>
      )}
      {data && all.length === 0 && <NoHosts />}
      {rows.length > 0 && (
        <SortableTable
          label="Hosts in NUMASFP’s law"
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

/** "3 of 1 000 hosts that the law looks at, most in need first" */
function noteOf(shown: number, all: number, sort: string | undefined): string {
  const of = `${thousands(shown)} of ${count(all, "host")} that the law looks at`;
  return shown > 1 && !sort ? `${of}, most in need first` : of;
}

function NoHosts(): ReactNode {
  return (
    <p className="section-body t2">
      No host yet. The law looks at hosts that run a chain and for whose model levels are promoted: measure them on the
      page of an <Link to="/nf-types">NF type</Link>, then promote them.
    </p>
  );
}
