/** Races so far: which algorithm would have done best, by what was measured of the plans that ran. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { racesPages, rankingQuery } from "@/api/race-queries";
import type { RaceSort } from "@/api/sorts";
import type { Race } from "@/api/types";
import { figure, when } from "@/lib/format";
import { bestText, emptyRanking, HOW, rankingNote } from "@/recommendations/race-words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { StateText } from "@/states/state-text";
import { RACE } from "@/states/table";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { RankingTable } from "./ranking-table";

const EVERY = "every host model";

export function RacesSection(
  props: {
    /** Only races on it; null: on any. */
    hostModel: string | null;
    onHostModel: (hostModel: string | null) => void;
    /** How algorithms are sorted, and races (`sort`). */
    ranking: string | undefined;
    onRanking: (sort: string | undefined) => void;
  } & Sorting<RaceSort>,
): ReactNode {
  const { hostModel, onHostModel, ranking: ranked, onRanking, ...sorting } = props;
  const { data: ranking, error } = useQuery(rankingQuery(hostModel));
  return (
    <Section
      title="Races"
      note={ranking && ranking.scored > 0 ? rankingNote(ranking) : undefined}
      end={<CopyButton text={cli.raceRanking(hostModel)} curl={curls.raceRanking(hostModel)} />}
    >
      {error && !ranking && <ProblemNote problem={asProblem(error)} />}
      {!error && !ranking && <p className="section-body empty late">Loading races</p>}
      {ranking && (
        <>
          {(ranking.host_models.length > 1 || hostModel !== null) && (
            <div className="section-body race-filter">
              <Picker
                label="Host model"
                value={hostModel ?? EVERY}
                choices={[EVERY, ...ranking.host_models].map((key) => ({ key, text: key }))}
                onChange={(key) => onHostModel(key === EVERY ? null : key)}
              />
            </div>
          )}
          {ranking.scored > 0 ? (
            <RankingTable
              ranks={ranking.ranks}
              ran={ranking.provenance ?? "measured"}
              sort={ranked}
              onSort={onRanking}
            />
          ) : (
            <p className="section-body t2">{emptyRanking(ranking)}</p>
          )}
          {ranking.scored > 0 && (
            <p className="section-body t2">
              {HOW} The applied plan was{" "}
              {ranking.provenance && (
                <span className="nowrap">
                  <Mark origin={ranking.provenance} />
                  {ranking.provenance}.
                </span>
              )}
            </p>
          )}
          <Races hostModel={hostModel} {...sorting} />
        </>
      )}
    </Section>
  );
}

function Races({ hostModel, ...sorting }: { hostModel: string | null } & Sorting<RaceSort>): ReactNode {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(racesPages(hostModel, sorting.sort));
  const races = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {error && <ProblemNote problem={asProblem(error)} />}
      {races.length > 0 && (
        <div className="wide-table">
          <Table label="Races" columns={sortedHeads(COLUMNS, sorting)} rows={races} rowKey={({ id }) => id} />
        </div>
      )}
      {hasNextPage && (
        <p className="section-body">
          <Button small onClick={() => void fetchNextPage()}>
            {sorting.sort ? "More" : "Older"} races
          </Button>
        </p>
      )}
    </>
  );
}

const COLUMNS: readonly ServerSorted<Race, RaceSort>[] = [
  {
    key: "race",
    head: "Race",
    sorts: ["id", "-id"],
    cell: ({ id, created_at }) => (
      <span className="nowrap">
        {id} <span className="t3">{when(created_at)}</span>
      </span>
    ),
  },
  {
    key: "plan",
    head: "Plan",
    cell: ({ plan_id, plan_state, begun_by, hosts }) => (
      <>
        <span className="nowrap">
          <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
            plan {plan_id}
          </Link>{" "}
          <span className="t2">{plan_state}</span>
        </span>
        <div className="t3">
          {begun_by === "recommendation" ? "recommended, " : ""}
          {hosts.slice(0, 3).join(", ")}
          {hosts.length > 3 ? ` and ${hosts.length - 3} more` : ""}
        </div>
      </>
    ),
  },
  { key: "state", head: "State", sorts: ["state", "-state"], cell: (race) => <StateCell race={race} /> },
  {
    key: "ran",
    head: "Applied plan, value × Mpps",
    align: "right",
    cell: ({ measured_mpps, measured_provenance }) =>
      measured_provenance ? (
        <span className="nowrap">
          <Mark origin={measured_provenance} />
          {figure(measured_mpps)}
        </span>
      ) : (
        <span className="t3">–</span>
      ),
  },
  {
    key: "best",
    head: "Best of the others",
    secondRank: true,
    cell: (race) => <span className="nowrap">{bestText(race) || "–"}</span>,
  },
];

function StateCell({ race }: { race: Race }): ReactNode {
  const of = race.entries.length + race.waiting.length;
  return (
    <>
      <StateText look={RACE[race.state]}>
        {race.state === "planning" ? ` ${race.entries.length} of ${of}` : ""}
      </StateText>
      {race.why && <div className="t3">{race.why}</div>}
    </>
  );
}
