/** Stored files: what each is, who uses it, the way to its bytes. */

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { ArtefactSort } from "@/api/sorts";
import type { Artefact } from "@/api/types";
import { shortDigest, sizeText, when } from "@/lib/format";
import { CopyButton } from "@/ui/copy-button";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { DeleteArtefact } from "./delete-artefact";

const COLUMNS: readonly ServerSorted<Artefact, ArtefactSort>[] = [
  {
    key: "name",
    head: "Name",
    sorts: ["name", "-name"],
    cell: ({ name }) => <b className="strong artefact-name">{name}</b>,
  },
  { key: "version", head: "Version", align: "right", cell: ({ version }) => version },
  { key: "kind", head: "Kind", sorts: ["kind", "-kind"], cell: ({ kind }) => kind },
  {
    key: "size",
    head: "Size",
    align: "right",
    sorts: ["-size_bytes", "size_bytes"],
    cell: ({ size_bytes }) => sizeText(size_bytes),
  },
  {
    key: "digest",
    head: "Digest",
    cell: ({ digest }) => (
      <span className="nowrap">
        <span className="mono" title={digest}>
          {shortDigest(digest)}
        </span>{" "}
        <CopyButton text={digest} label="Copy" />
      </span>
    ),
  },
  { key: "users", head: "Used by", cell: (artefact) => <Users artefact={artefact} /> },
  { key: "by", head: "By", secondRank: true, cell: ({ created_by }) => created_by },
  {
    key: "at",
    head: "Uploaded",
    secondRank: true,
    sorts: ["-id", "id"],
    cell: ({ created_at }) => when(created_at),
  },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (artefact) => (
      <span className="row-actions tight artefact-acts">
        <a className="btn small" href={`/api/v1/artefacts/${artefact.digest}/content`} download={artefact.name}>
          Download
          <span className="hidden-text">
            {" "}
            {artefact.name} version {artefact.version}
          </span>
        </a>
        <DeleteArtefact artefact={artefact} />
      </span>
    ),
  },
];

export function ArtefactsTable(props: { artefacts: readonly Artefact[] } & Sorting<ArtefactSort>): ReactNode {
  const columns = sortedHeads(COLUMNS, props);
  return <Table label="Artefacts" columns={columns} rows={props.artefacts} rowKey={({ digest }) => digest} />;
}

function Users({ artefact: { used_by, uses, nf_types } }: { artefact: Artefact }): ReactNode {
  if (uses === 0 && nf_types.length === 0) return <span className="t3">no chain</span>;
  const shown = used_by.slice(0, 4);
  return (
    <>
      {shown.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ", "}
          <Link to="/chains/$name" params={{ name }}>
            {name}
          </Link>
        </Fragment>
      ))}
      {uses > shown.length && ` and ${uses - shown.length} more`}
      {nf_types.map((name, index) => (
        <Fragment key={`nf-type ${name}`}>
          {index > 0 ? ", " : uses > 0 ? "; NF type " : "NF type "}
          <Link to="/nf-types/$name" params={{ name }}>
            {name}
          </Link>
        </Fragment>
      ))}
    </>
  );
}
