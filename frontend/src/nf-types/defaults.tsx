/** What NFs of a type start with: what differs from its program, and all options. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NfType } from "@/api/types";
import { count } from "@/lib/format";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { ownDefaults, propertiesOf } from "./config";
import { ConfigOptions } from "./config-fields";

interface Row {
  readonly name: string;
  readonly own: unknown;
  readonly theirs: unknown;
}

/** Longer values are cut: a list of rules belongs into a file. */
const LONG = 120;

const COLUMNS: readonly Column<Row>[] = [
  { key: "name", head: "Option", cell: ({ name }) => <span className="mono">{name}</span> },
  { key: "own", head: "Own default", cell: ({ own }) => <Value value={own} strong /> },
  { key: "theirs", head: "The program's", cell: ({ theirs }) => <Value value={theirs} /> },
];

export function Defaults({ type, implementation }: { type: NfType; implementation: NfType | undefined }): ReactNode {
  const own = implementation ? ownDefaults(type, implementation) : {};
  const theirs = implementation ? propertiesOf(implementation) : {};
  const rows = Object.entries(own).map(([name, value]): Row => ({ name, own: value, theirs: theirs[name]?.default }));
  const options = Object.keys(propertiesOf(type)).length;
  return (
    <Section title="Configuration" note={type.implementation ? `${count(rows.length, "own default")}` : "built in"}>
      {rows.length > 0 && <Table label="Its own defaults" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />}
      {type.implementation && rows.length === 0 && implementation && (
        <p className="section-body t2">
          It starts as{" "}
          <Link to="/nf-types/$name" params={{ name: implementation.name }}>
            {implementation.name}
          </Link>{" "}
          does.
        </p>
      )}
      {options > 0 && (
        <details className="more section-body">
          <summary>All {count(options, "option")}</summary>
          <ConfigOptions type={type} />
        </details>
      )}
    </Section>
  );
}

function Value({ value, strong = false }: { value: unknown; strong?: boolean }): ReactNode {
  const text = JSON.stringify(value) ?? "none";
  const shown = text.length > LONG ? `${text.slice(0, LONG)}…` : text;
  return (
    <span className={strong ? "mono strong" : "mono t2"} title={text.length > LONG ? text.slice(0, 2000) : undefined}>
      {shown}
    </span>
  );
}
