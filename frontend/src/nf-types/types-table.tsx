/** NF types with the model that plans use for each, by host model; in the catalogue's order, or as the reader sorts them. */

import type { ReactNode } from "react";
import type { ModelVersion, NfType } from "@/api/types";
import { count } from "@/lib/format";
import { type SortableColumn, SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { StandingText } from "./model-state";
import { type HostModel, standingOf } from "./standing";
import { TYPE_COLUMNS } from "./type-columns";

export function TypesTable(props: {
  types: readonly NfType[];
  /** All, and those that there is room for. */
  hostModels: readonly HostModel[];
  shown: readonly HostModel[];
  models: readonly ModelVersion[];
  /** What is known about predictions of a type on a host model. */
  trust: (nfType: string, hostModel: string) => ReactNode;
  view: TableView;
  onView: (view: TableView) => void;
}): ReactNode {
  const { types, hostModels, shown, models, trust, view, onView } = props;
  const promoted = ({ name }: NfType) =>
    hostModels.filter((host) => standingOf(models, name, host.name).promoted !== null).length;
  const columns = TYPE_COLUMNS.map((column) =>
    column.key === "promoted"
      ? { ...column, sort: promoted, cell: (type: NfType) => `${promoted(type)} of ${hostModels.length}` }
      : column,
  );
  const on = shown.map(
    (host): SortableColumn<NfType> => ({
      key: `on ${host.name}`,
      head: host.name,
      headBelow: hostsOf(host),
      fixed: true,
      cell: ({ name }) => (
        <>
          <StandingText standing={standingOf(models, name, host.name)} />
          {trust(name, host.name)}
        </>
      ),
    }),
  );
  return (
    <SortableTable
      label="NF types"
      className="catalogue"
      columns={[...columns, ...on]}
      rows={types}
      rowKey={({ name }) => name}
      view={view}
      onView={onView}
    />
  );
}

function hostsOf({ hosts }: HostModel): string {
  if (hosts.length === 0) return "no host now";
  return hosts.length > 3 ? count(hosts.length, "host") : hosts.join(", ");
}
