/** Silences in force: what each holds back, until when and why, and the way to end it. */

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { endSilence, silencesQuery } from "@/api/alert-queries";
import { asProblem } from "@/api/problem";
import type { SilenceSort } from "@/api/sorts";
import type { Silence } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

const COLUMNS: readonly ServerSorted<Silence, SilenceSort>[] = [
  { key: "number", head: "Silence", align: "right", sorts: ["id", "-id"], cell: ({ id }) => id },
  { key: "what", head: "Holds back", rowHead: true, cell: ({ matcher }) => matcherText(matcher) },
  { key: "why", head: "Why", cell: ({ reason }) => reason },
  {
    key: "by",
    head: "By",
    secondRank: true,
    sorts: ["created_by", "-created_by"],
    cell: ({ created_by }) => created_by,
  },
  {
    key: "until",
    head: "Until",
    sorts: ["until", "-until"],
    cell: ({ until }) => <span className="nowrap">{when(until)}</span>,
  },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (silence) => <EndSilence silence={silence} />,
  },
];

export function matcherText({ kind, severity, object_kind, object_name }: Silence["matcher"]): string {
  return [kind, severity, object_kind, object_name].filter(Boolean).join(" ");
}

export function Silences(sorting: Sorting<SilenceSort>): ReactNode {
  const { data, error } = useQuery(silencesQuery(sorting.sort));
  const active = data ?? [];
  return (
    <Section title="Silences" note="shown above, sent nowhere">
      {error && <ProblemNote problem={asProblem(error)} />}
      {active.length > 0 && (
        <Table label="Silences" columns={sortedHeads(COLUMNS, sorting)} rows={active} rowKey={({ id }) => id} />
      )}
      {data && active.length === 0 && (
        <p className="section-body t2">None is in force. An alert above can be silenced, or several by their names:</p>
      )}
      {data && active.length === 0 && (
        <p className="section-body">
          <code>sextant alerts silence --object &apos;web-*&apos; --for 2h --reason maintenance</code>
        </p>
      )}
    </Section>
  );
}

function EndSilence({ silence }: { silence: Silence }): ReactNode {
  const reason = useActReason("alerts.act");
  const order = useMutation({ mutationFn: () => endSilence(silence.id) });
  return (
    <span className="row-actions tight">
      <CopyButton text={cli.endSilence(silence.id)} curl={curls.endSilence(silence.id)} />
      <Button
        small
        reason={reason ?? (order.isPending ? "The order is being sent." : null)}
        reasonSide="below-left"
        onClick={() => order.mutate()}
      >
        End<span className="hidden-text"> silence {silence.id}</span>
      </Button>
      {order.error && <ProblemNote problem={asProblem(order.error)} />}
    </span>
  );
}
