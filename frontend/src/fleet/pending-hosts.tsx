/** Unused tokens to be used: for whom, by whom, for how long; each can be taken back. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { withdrawEnrolment } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { ENROLMENTS, enrolmentsQuery } from "@/api/queries";
import type { EnrolmentSort } from "@/api/sorts";
import type { Enrolment } from "@/api/types";
import { count, timeLeft } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Button } from "@/ui/button";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

export function PendingHosts({ reason }: { reason: string | null }): ReactNode {
  const [sort, setSort] = useState<EnrolmentSort>();
  const waiting = useQuery(enrolmentsQuery(sort));
  const now = useNow();
  const client = useQueryClient();
  const taking = useMutation({
    mutationFn: withdrawEnrolment,
    onSettled: () => void client.invalidateQueries({ queryKey: ENROLMENTS }),
  });
  const rows = (waiting.data?.items ?? []).filter((one) => timeLeft(one.expires_at, now) !== null);
  const columns: readonly ServerSorted<Enrolment, EnrolmentSort>[] = [
    { key: "host", head: "Host", sorts: ["host", "-host"], cell: (one) => <Host one={one} /> },
    {
      key: "by",
      head: "By",
      secondRank: true,
      sorts: ["created_by", "-created_by"],
      cell: (one) => one.created_by,
    },
    {
      key: "left",
      head: "Valid for",
      align: "right",
      sorts: ["expires_at", "-expires_at"],
      cell: (one) => timeLeft(one.expires_at, now),
    },
    {
      key: "withdraw",
      head: <span className="hidden-text">Withdraw</span>,
      cell: (one) => (
        <Button small look="danger" reason={reason} reasonSide="below-left" onClick={() => taking.mutate(one.id)}>
          Withdraw<span className="hidden-text"> the token for {one.host}</span>
        </Button>
      ),
      align: "right",
    },
  ];
  return (
    <section aria-label="Unused tokens">
      <h3>Unused tokens</h3>
      {waiting.error && <ProblemNote problem={asProblem(waiting.error)} />}
      {taking.error && <ProblemNote problem={asProblem(taking.error)} onDismiss={() => taking.reset()} />}
      {rows.length > 0 && (
        <Table
          label="Unused tokens"
          columns={sortedHeads(columns, { sort, onSort: setSort })}
          rows={rows}
          rowKey={(one) => one.id}
        />
      )}
      {waiting.isPending && <p className="t2 late">Loading</p>}
      {waiting.data && rows.length === 0 && <p className="t2">None. A token leaves this list when it is used.</p>}
    </section>
  );
}

function Host({ one }: { one: Enrolment }): ReactNode {
  return (
    <>
      {one.host}
      {one.fleet && <span className="t2"> {count(one.count, "host")}</span>}
    </>
  );
}
