/** What other algorithms would have made of the recommended plan's hosts, scored once it was measured. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { raceQuery } from "@/api/policy-query";
import type { Plan, Race, RaceEntry } from "@/api/types";
import { figure } from "@/lib/format";
import { algorithmText } from "@/plans/algorithms";
import { Figure, Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { raceNote } from "./race-words";

const COLUMNS: readonly Column<RaceEntry>[] = [
  { key: "algorithm", head: "Algorithm", cell: (entry) => algorithmText(entry.algorithm) },
  {
    key: "predicted",
    head: "Predicted, value × Mpps",
    align: "right",
    cell: (entry) => <Figure origin={entry.provenance} value={entry.predicted_mpps} />,
  },
  {
    key: "later",
    head: "Scored later",
    align: "right",
    cell: (entry) => (
      <Figure
        origin={entry.later_provenance ?? "predicted"}
        value={entry.later_mpps}
        why={entry.error ?? "not measured yet"}
      />
    ),
  },
  { key: "differs", head: "NFs elsewhere", align: "right", cell: (entry) => entry.differs },
  { key: "moves", head: "Moves", align: "right", cell: (entry) => entry.moves },
  {
    key: "seconds",
    head: "Time, s",
    align: "right",
    secondRank: true,
    cell: (entry) => figure(entry.seconds),
  },
];

export function ScoredLater({ plan }: { plan: Plan }): ReactNode {
  const { data } = useQuery({ ...raceQuery(plan.id), enabled: plan.created_by === "system" });
  return data ? <RaceSection race={data} /> : null;
}

export function RaceSection({ race }: { race: Race }): ReactNode {
  return (
    <Section title="Scored later" note={raceNote(race)}>
      {race.entries.length > 0 && (
        <Table
          label="Other algorithms, scored later"
          columns={COLUMNS}
          rows={race.entries}
          rowKey={(e) => e.algorithm}
        />
      )}
      <p className="section-body t2">
        The recommended plan: <Figure origin={race.provenance} value={race.predicted_mpps} />
        {race.measured_provenance && (
          <>
            , then <Mark origin={race.measured_provenance} />
            <b className="strong">{figure(race.measured_mpps)}</b>
          </>
        )}
        . Where all NFs of a host stand on the same nodes, what was measured counts; elsewhere a prediction, corrected
        by how far those of this plan were off.
      </p>
    </Section>
  );
}
