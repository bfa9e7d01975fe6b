/** What the catalogue says of every NF type, on whatever host model. */

import { Link } from "@tanstack/react-router";
import type { NfType } from "@/api/types";
import type { SortableColumn } from "@/ui/sortable-table";

export const TYPE_COLUMNS: readonly SortableColumn<NfType>[] = [
  {
    key: "name",
    head: "NF type",
    sort: ({ name }) => name,
    cell: ({ name, summary }) => (
      <Link className="whole-cell" to="/nf-types/$name" params={{ name }} title={summary}>
        {name}
      </Link>
    ),
  },
  {
    key: "short",
    head: "Short name",
    secondRank: true,
    sort: ({ short_name }) => short_name,
    cell: ({ short_name }) => short_name,
  },
  {
    key: "runs",
    head: "Runs",
    // The built-in ones stand together behind what runs another's program.
    sort: ({ implementation }) => implementation ?? null,
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
  {
    key: "version",
    head: "Version",
    align: "right",
    sort: ({ version }) => version,
    descendingFirst: true,
    cell: ({ version }) => version,
  },
  {
    key: "promoted",
    head: "Models in use",
    title: "Host models on which plans use a promoted model of it, and not assumed figures",
    align: "right",
    secondRank: true,
    // By what the table is given: how many.
    sort: () => null,
    descendingFirst: true,
    cell: () => null,
  },
];
