/** Hosts whose NFs share cores, from the live state. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { assignerQuery } from "@/api/sfc2cpu-queries";
import { count, DASH, percent } from "@/lib/format";
import { useLive } from "@/live/store";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { AssignNewcomers } from "./assigning";
import { type SharingRow, sharingRows } from "./sharing";
import { assignerText } from "./words";

const COLUMNS: readonly Column<SharingRow>[] = [
  {
    key: "host",
    head: "Host",
    rowHead: true,
    cell: ({ host }) => (
      <Link className="nowrap" to="/automation" search={(old) => ({ ...old, tab: "sfc2cpu", host })}>
        {host}
      </Link>
    ),
  },
  { key: "cores", head: "Shared cores", align: "right", cell: ({ cores }) => cores },
  { key: "nfs", head: "NFs on them", align: "right", cell: ({ nfs }) => nfs },
  {
    key: "fullest",
    head: "Fullest, %",
    title: "Of a shared core’s time, what its NFs use",
    align: "right",
    cell: ({ fullest }) => (fullest === null ? DASH : percent(fullest)),
  },
];

export function HostsTable({ chosen }: { chosen: string | undefined }): ReactNode {
  const nfs = useLive((state) => state.nfs);
  const ready = useLive((state) => state.ready);
  const rows = useMemo(() => sharingRows(nfs), [nfs]);
  const { data: assigner } = useQuery(assignerQuery());
  return (
    <Section
      title="Hosts"
      note={ready ? `${count(rows.length, "host")} whose NFs share cores` : undefined}
      end={<AssignNewcomers />}
    >
      {!ready && <p className="section-body t2 late">Loading hosts</p>}
      {ready && rows.length === 0 && (
        <p className="section-body t2">
          No host yet: every NF has a core of its own. A host’s page sets how many NFs a core of it takes (Slots a
          core).
        </p>
      )}
      {rows.length > 0 && (
        <Table
          label="Hosts whose NFs share cores"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ host }) => host}
          rowClass={({ host }) => (host === chosen ? "chosen" : "")}
        />
      )}
      {assigner && <p className="section-body below-table t2">Newcomers are assigned by {assignerText(assigner)}</p>}
    </Section>
  );
}
