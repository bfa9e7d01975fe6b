/** NF types with the model that plans use for each, by host model. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ModelVersion, NfType } from "@/api/types";
import { count } from "@/lib/format";
import { type Column, Table } from "@/ui/table";
import { StandingText } from "./model-state";
import { type HostModel, standingOf } from "./standing";

const COLUMNS: readonly Column<NfType>[] = [
  {
    key: "name",
    head: "NF type",
    cell: ({ name, summary }) => (
      <Link className="whole-cell" to="/nf-types/$name" params={{ name }} title={summary}>
        {name}
      </Link>
    ),
  },
  { key: "short", head: "Short name", secondRank: true, cell: ({ short_name }) => short_name },
  {
    key: "runs",
    head: "Runs",
    cell: ({ implementation, library }) =>
      implementation ? (
        <Link to="/nf-types/$name" params={{ name: implementation }}>
          {implementation}
        </Link>
      ) : (
        <span className="t3" title={library}>
          built in
        </span>
      ),
  },
  { key: "version", head: "Version", align: "right", cell: ({ version }) => version },
];

export function TypesTable(props: {
  types: readonly NfType[];
  hostModels: readonly HostModel[];
  models: readonly ModelVersion[];
  /** What is known about predictions of a type on a host model. */
  trust: (nfType: string, hostModel: string) => ReactNode;
}): ReactNode {
  const { types, hostModels, models, trust } = props;
  const columns = [
    ...COLUMNS,
    ...hostModels.map(
      (host): Column<NfType> => ({
        key: `on ${host.name}`,
        head: <HostModelHead host={host} />,
        cell: ({ name }) => (
          <>
            <StandingText standing={standingOf(models, name, host.name)} />
            {trust(name, host.name)}
          </>
        ),
      }),
    ),
  ];
  return (
    <div className="types-table tall">
      <Table label="NF types" columns={columns} rows={types} rowKey={({ name }) => name} />
    </div>
  );
}

function HostModelHead({ host: { name, hosts } }: { host: HostModel }): ReactNode {
  const shown = hosts.slice(0, 3).join(", ");
  return (
    <span className="host-model-head">
      {name}
      <br />
      {hosts.length === 0 ? "no host now" : hosts.length > 3 ? count(hosts.length, "host") : shown}
    </span>
  );
}
