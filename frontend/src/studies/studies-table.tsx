/** Studies as a table. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { StudySort } from "@/api/sorts";
import type { Study } from "@/api/types";
import { DASH, duration, when } from "@/lib/format";
import { studyEnded, studyLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { RepeatedText } from "./words";

const KINDS: Readonly<Record<Study["kind"], string>> = {
  placement: "placements",
  prediction: "predictions",
  numasfp: "NUMASFP",
  sfc2cpu: "sfc2cpu",
  school: "School",
};

const COLUMNS: readonly ServerSorted<Study, StudySort>[] = [
  {
    key: "id",
    head: "Study",
    sorts: ["id", "-id"],
    cell: ({ id }) => (
      <Link className="whole-cell" to="/studies/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    key: "name",
    head: "Name",
    sorts: ["name", "-name"],
    cell: ({ name }) => <b className="strong">{name}</b>,
  },
  { key: "kind", head: "Of", cell: ({ kind }) => KINDS[kind] },
  { key: "machine", head: "Simulated server", secondRank: true, cell: ({ machine }) => machine },
  { key: "runs", head: "Runs", align: "right", cell: ({ runs }) => runs },
  {
    key: "state",
    head: "State",
    sorts: ["state", "-state"],
    cell: (study) => <StateText look={studyLook(study)} />,
  },
  {
    key: "steps",
    head: "Steps",
    align: "right",
    cell: ({ progress, state }) =>
      progress ? (state === "done" ? progress.of : `${progress.done} of ${progress.of}`) : DASH,
  },
  {
    key: "left",
    head: "Time left",
    align: "right",
    cell: ({ state, progress }) =>
      studyEnded(state) || progress?.seconds_left == null ? DASH : `about ${duration(progress.seconds_left)}`,
  },
  {
    key: "note",
    head: "Note",
    cell: (study) =>
      study.repeat_of == null ? (
        study.error ? (
          <span className="bad">{study.error.title}</span>
        ) : (
          DASH
        )
      ) : (
        <>
          repeats study {study.repeat_of}
          {study.repeated && ": "}
          <RepeatedText study={study} />
        </>
      ),
  },
  { key: "by", head: "By", secondRank: true, cell: ({ created_by }) => created_by },
  { key: "at", head: "Requested", cell: ({ created_at }) => <span className="nowrap">{when(created_at)}</span> },
];

export function StudiesTable(props: { studies: readonly Study[] } & Sorting<StudySort>): ReactNode {
  const columns = sortedHeads(COLUMNS, props);
  return <Table label="Studies" columns={columns} rows={props.studies} rowKey={({ id }) => id} />;
}
