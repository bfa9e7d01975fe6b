/** Entries of the audit log as a dense table; a row opens to what the object was before and is after. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { AuditSort } from "@/api/sorts";
import type { AuditEntry } from "@/api/types";
import { DASH, when } from "@/lib/format";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { EntryDetail } from "./entry-detail";
import { ObjectLink } from "./object-link";

export function AuditTable(props: { entries: readonly AuditEntry[] } & Sorting<AuditSort>): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (id: number) => {
    const others = new Set(open);
    if (!others.delete(id)) others.add(id);
    setOpen(others);
  };
  const columns: readonly ServerSorted<AuditEntry, AuditSort>[] = [
    {
      key: "at",
      head: "When",
      sorts: ["at", "-at"],
      cell: (entry) => (
        <button
          type="button"
          className="opener"
          aria-expanded={open.has(entry.id)}
          aria-label={`${when(entry.at)}, ${entry.action}: ${open.has(entry.id) ? "hide" : "show"} details`}
          onClick={() => toggle(entry.id)}
        >
          <span aria-hidden="true">{open.has(entry.id) ? "▾" : "▸"}</span>
          <time dateTime={entry.at} title={entry.at}>
            {when(entry.at)}
          </time>
        </button>
      ),
    },
    ...COLUMNS,
  ];
  return (
    <Table
      label="Audit log"
      className="audit"
      columns={sortedHeads(columns, props)}
      rows={props.entries}
      rowKey={({ id }) => id}
      note={(entry) => open.has(entry.id) && <EntryDetail entry={entry} />}
    />
  );
}

const COLUMNS: readonly ServerSorted<AuditEntry, AuditSort>[] = [
  { key: "actor", head: "Actor", sorts: ["actor", "-actor"], cell: (entry) => <Actor entry={entry} /> },
  {
    key: "action",
    head: "Action",
    sorts: ["action", "-action"],
    className: "wraps",
    cell: ({ action }) => <Action action={action} />,
  },
  { key: "object", head: "Object", className: "wraps", cell: (entry) => <ObjectLink entry={entry} /> },
  { key: "reason", head: "Reason", secondRank: true, className: "wraps", cell: ({ reason }) => reason ?? DASH },
  {
    key: "request",
    head: "Request",
    secondRank: true,
    cell: ({ request_id }) =>
      request_id ? (
        <Link to="/audit" search={{ request: request_id }} title="All that this request caused">
          <code>{request_id}</code>
        </Link>
      ) : (
        DASH
      ),
  },
];

/** Where the window is narrow, it breaks behind the dot. */
function Action({ action }: { action: string }): ReactNode {
  const [area = "", ...rest] = action.split(/(?<=\.)/);
  return (
    <b className="strong">
      {area}
      <wbr />
      {rest.join("")}
    </b>
  );
}

function Actor({ entry: { actor, actor_kind, token } }: { entry: AuditEntry }): ReactNode {
  const note = token ? `token ${token}` : actor_kind === "user" || actor === actor_kind ? "" : actor_kind;
  return (
    <>
      {actor}
      {note && <span className="t3"> {note}</span>}
    </>
  );
}
