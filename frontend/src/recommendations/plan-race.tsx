/** What other algorithms would have made of a plan's hosts, scored once it was measured. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { raceQuery } from "@/api/race-queries";
import type { Plan, Race, RaceEntry } from "@/api/types";
import { figure } from "@/lib/format";
import { algorithmText } from "@/plans/algorithms";
import { StateText } from "@/states/state-text";
import { RACE } from "@/states/table";
import { Figure, Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { entryNote, HOW, marginText, raceNote } from "./race-words";

const COLUMNS: readonly Column<RaceEntry>[] = [
  { key: "algorithm", head: "Algorithm", cell: (entry) => <Name entry={entry} /> },
  {
    key: "predicted",
    head: "Predicted, value × Mpps",
    align: "right",
    cell: (entry) => <Figure origin={entry.provenance} value={entry.predicted_mpps} />,
  },
  {
    key: "later",
    head: "Score",
    align: "right",
    cell: (entry) => (
      <Figure
        origin={entry.later_provenance ?? "predicted"}
        value={entry.later_mpps}
        low={entry.low_mpps}
        high={entry.high_mpps}
        why={entry.error ?? "not measured yet"}
      />
    ),
  },
  {
    key: "margin",
    head: "Over the applied plan",
    align: "right",
    cell: (entry) => <span className="nowrap">{marginText(entry.margin_percent)}</span>,
  },
  { key: "differs", head: "NFs placed elsewhere", align: "right", cell: (entry) => entry.differs },
  { key: "moves", head: "Moves", align: "right", cell: (entry) => entry.moves },
  {
    key: "seconds",
    head: "Time, s",
    align: "right",
    secondRank: true,
    cell: (entry) => figure(entry.seconds),
  },
];

function Name({ entry }: { entry: RaceEntry }): ReactNode {
  const note = entryNote(entry);
  return (
    <>
      {algorithmText(entry.algorithm)}
      {note && <div className="warn">{note}</div>}
    </>
  );
}

export function PlanRace({ plan }: { plan: Plan }): ReactNode {
  const mayRace = plan.created_by === "system" || plan.operation_id !== null;
  const { data } = useQuery({ ...raceQuery(plan.id), enabled: mayRace });
  return data ? <RaceSection race={data} /> : null;
}

export function RaceSection({ race }: { race: Race }): ReactNode {
  return (
    <Section title="Races" note={raceNote(race)} end={<StateText look={RACE[race.state]} />}>
      {race.why && <p className="section-body t2">{race.why}.</p>}
      {race.entries.length > 0 && (
        <Table label="Race of other algorithms" columns={COLUMNS} rows={race.entries} rowKey={(e) => e.algorithm} />
      )}
      <p className="section-body t2">
        This plan: <Figure origin={race.provenance} value={race.predicted_mpps} />
        {race.measured_provenance && (
          <>
            , then <Mark origin={race.measured_provenance} />
            <b className="strong">{figure(race.measured_mpps)}</b>
          </>
        )}
        . {HOW} If all NFs of a host are on the same nodes as in the applied plan, the measurement counts.{" "}
        <Link to="/plans/compare">All races</Link>
      </p>
    </Section>
  );
}
