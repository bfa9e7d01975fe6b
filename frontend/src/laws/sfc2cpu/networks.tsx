/** Networks of School: how each did in its exams, which one is in force for how many cores, and how it does there. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { promoteNetwork, revertNetwork } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { assignerQuery, NETWORKS, networksQuery, promotionsQuery, sharedCoresQuery } from "@/api/sfc2cpu-queries";
import type { NetworkPromotion, TrainedNetwork } from "@/api/types";
import { ageOrTime, count, tick } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { gamesText } from "@/studies/kinds/school/games";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { GATE_C, newestOfEach, servedText, shortOf, watchedText } from "./school-words";
import { Train } from "./train";
import { Trainings } from "./training";

export function Networks({ host }: { host: string | undefined }): ReactNode {
  const { data, error } = useQuery(networksQuery());
  const { data: promotions } = useQuery(promotionsQuery());
  const { data: open } = useQuery({ ...sharedCoresQuery(host ?? ""), enabled: host !== undefined });
  const rows = data?.items ?? [];
  const newest = newestOfEach(promotions?.items ?? []);
  return (
    <Section
      title="Networks"
      note={
        data && (
          <>
            <Mark origin="simulated" />
            {count(rows.length, "network")} of School, exams simulated
          </>
        )
      }
      end={
        <>
          <CopyButton text={cli.networks()} curl={curls.networks()} /> <Train cores={open?.assignable} host={host} />
        </>
      }
    >
      <p className="section-body t2">{GATE_C}</p>
      {error && <PartProblem problem={asProblem(error)} />}
      <Trainings />
      {data && rows.length === 0 && <p className="section-body t2">No network has been trained.</p>}
      {rows.length > 0 && (
        <Table<TrainedNetwork>
          label="Trained networks"
          columns={columnsOf(newest)}
          rows={rows}
          rowKey={({ weights }) => weights}
          rowClass={({ in_force }) => (in_force ? "chosen" : "")}
        />
      )}
      {newest
        .filter(({ ended }) => ended === null)
        .map((one) => (
          <p key={one.id} className="section-body below-table t2">
            In force for hosts with {one.cores} cores that NFs may share: {shortOf(one.weights)}. {watchedText(one)}.
          </p>
        ))}
    </Section>
  );
}

const columnsOf = (newest: readonly NetworkPromotion[]): readonly Column<TrainedNetwork>[] => [
  {
    key: "network",
    head: "Network",
    rowHead: true,
    cell: ({ weights, study }) =>
      study === null ? (
        <span className="mono">{shortOf(weights)}</span>
      ) : (
        <Link className="mono" to="/studies/$id" params={{ id: String(study) }}>
          {shortOf(weights)}
        </Link>
      ),
  },
  { key: "cores", head: "Cores", align: "right", cell: ({ report }) => report.cores },
  { key: "games", head: "Games by", cell: ({ report }) => gamesText(report.curve) },
  {
    key: "state",
    head: "State",
    cell: ({ weights, in_force }) => {
      const worse = newest.some((one) => one.weights === weights && one.ended === "worse");
      return in_force ? <b className="strong">in force</b> : worse ? <span className="warn">reverted</span> : "trained";
    },
  },
  { key: "act", head: "Actions", cell: (network) => <Act network={network} /> },
  { key: "seed", head: "Seed", align: "right", secondRank: true, cell: ({ report }) => report.seed },
  { key: "steps", head: "Steps", align: "right", cell: ({ report }) => tick(report.steps) },
  {
    key: "exam",
    head: "Served in exams",
    title: "Of the packets, by what its games go by: in its last exam; beside it round robin and LPT",
    align: "right",
    cell: ({ report: { curve } }) => <Beside ours={curve.marks?.at(-1)?.served} others={[curve.rr, curve.lpt]} />,
  },
  {
    key: "twin",
    head: "On the twin",
    title:
      "Of the packets, on kinds that the costs of its games do not know, if any are left; beside it round robin and LPT",
    align: "right",
    cell: ({ report: { exam } }) => <Beside ours={exam.network} others={[exam.rr, exam.lpt]} />,
  },
  {
    key: "trained",
    head: "Trained",
    secondRank: true,
    cell: ({ trained_at, trained_by }) => <Trained at={trained_at} by={trained_by} />,
  },
];

function Beside({
  ours,
  others: [rr, lpt],
}: {
  ours: number | undefined;
  others: readonly [number, number];
}): ReactNode {
  return (
    <span className="nowrap">
      <b className="strong">{servedText(ours)}</b>{" "}
      <span className="t3">
        rr {servedText(rr)}, LPT {servedText(lpt)}
      </span>
    </span>
  );
}

function Trained({ at, by }: { at: string; by: string }): ReactNode {
  const now = useNow();
  return `${ageOrTime(at, now)} by ${by}`;
}

function Act({ network: { weights, report, in_force } }: { network: TrainedNetwork }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const denied = useActReason("models.promote");
  const onSettled = () => {
    setAsking(false);
    void client.invalidateQueries({ queryKey: NETWORKS });
    void client.invalidateQueries({ queryKey: assignerQuery().queryKey });
  };
  const promote = useMutation({ mutationFn: () => promoteNetwork(weights), onSettled });
  const revert = useMutation({ mutationFn: () => revertNetwork(weights), onSettled });
  const refused = promote.error ?? revert.error;
  const name = shortOf(weights);
  return (
    <span className="nowrap">
      {in_force ? (
        <Button
          aria-label={`Revert network ${name}`}
          reason={revert.isPending ? "The order is being sent." : denied}
          onClick={() => revert.mutate()}
        >
          Revert
        </Button>
      ) : (
        <Button aria-label={`Promote network ${name}`} reason={denied} onClick={() => setAsking(true)}>
          Promote
        </Button>
      )}{" "}
      <CopyButton
        text={in_force ? cli.revertNetwork(weights) : cli.promoteNetwork(weights)}
        curl={in_force ? curls.revertNetwork(weights) : curls.promoteNetwork(weights)}
      />
      <Confirm
        open={asking}
        title={`Promote network ${name} for ${report.cores} cores?`}
        action="Promote"
        busy={promote.isPending}
        onConfirm={() => promote.mutate()}
        onClose={() => setAsking(false)}
      >
        <p>{GATE_C}</p>
        <p>
          Newcomers on hosts with {report.cores} cores that NFs may share are assigned by it from then on; what runs
          stays where it is. It is reverted by itself once it serves 2 % less than round robin would, in three spans of
          ten seconds one after another.
        </p>
      </Confirm>
      {refused && (
        <ProblemNote
          problem={asProblem(refused)}
          onDismiss={() => {
            promote.reset();
            revert.reset();
          }}
        />
      )}
    </span>
  );
}
