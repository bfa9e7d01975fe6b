/** One entry opened: the object before and after, what else the entry says, and the request behind it. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { AuditEntry } from "@/api/types";
import { count } from "@/lib/format";
import { type Column, Table } from "@/ui/table";
import { type FieldChange, fieldChanges } from "./changes";

const MOST = 100;

const COLUMNS: readonly Column<FieldChange>[] = [
  { key: "field", head: "Field", className: "wraps", cell: ({ field }) => <code>{field}</code> },
  { key: "before", head: "Before", className: "wraps was", cell: ({ before }) => before ?? <Absent /> },
  { key: "after", head: "After", className: "wraps is", cell: ({ after }) => after ?? <Absent /> },
];

function Absent(): ReactNode {
  return <span className="t3">not there</span>;
}

export function EntryDetail({ entry }: { entry: AuditEntry }): ReactNode {
  const { before, after } = entry;
  const changes = useMemo(() => fieldChanges(before, after), [before, after]);
  const kept = before !== null || after !== null;
  return (
    <div className="entry-detail">
      {changes.length > 0 && (
        <Table label="Before and after" columns={COLUMNS} rows={changes.slice(0, MOST)} rowKey={({ field }) => field} />
      )}
      {changes.length > MOST && (
        <p className="t3">
          {count(changes.length - MOST, "field")} more; <code>sextant audit -o json</code> shows all.
        </p>
      )}
      {kept && changes.length === 0 && <p className="t3">Before and after are equal.</p>}
      {!kept && <p className="t3">This action changes nothing of the object that is kept here.</p>}
      <dl className="facts">
        {Object.entries(entry.detail).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
        <Fact name="entry" value={String(entry.id)} />
        <Fact name="time" value={entry.at} />
        <Fact name="sealed" value={entry.batch === null ? "not yet" : `in batch ${entry.batch}`} />
        {entry.request_id && (
          <Fact
            name="request"
            value={
              <Link to="/audit" search={{ request: entry.request_id }}>
                {entry.request_id}
              </Link>
            }
          />
        )}
      </dl>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
