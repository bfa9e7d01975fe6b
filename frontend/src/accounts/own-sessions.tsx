/** The browsers that one is signed in with. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { endSession, SESSIONS, sessionsQuery } from "@/api/account-queries";
import { asProblem } from "@/api/problem";
import type { SessionSort } from "@/api/sorts";
import type { SessionView } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

const COLUMNS: readonly ServerSorted<SessionView, SessionSort>[] = [
  { key: "from", head: "Address", cell: ({ client }) => client || "unknown" },
  { key: "browser", head: "Browser", cell: ({ browser, browser_name }) => <span title={browser}>{browser_name}</span> },
  // Numbers of sessions rise as people sign in.
  { key: "since", head: "Signed in", sorts: ["id", "-id"], cell: ({ created_at }) => when(created_at) },
  {
    key: "used",
    head: "Last used",
    secondRank: true,
    sorts: ["-last_used_at", "last_used_at"],
    cell: ({ last_used_at }) => when(last_used_at),
  },
  {
    key: "expires",
    head: "Ends",
    secondRank: true,
    sorts: ["expires_at", "-expires_at"],
    cell: ({ expires_at }) => when(expires_at),
  },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (session) => <End session={session} />,
  },
];

export function OwnSessions(sorting: Sorting<SessionSort>): ReactNode {
  const { data, error } = useQuery(sessionsQuery(sorting.sort));
  return (
    <>
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading sessions</p>}
      {data?.length === 0 && <p className="empty">No browser is signed in: you came by an API token.</p>}
      {data && data.length > 0 && (
        <Table label="Sessions" columns={sortedHeads(COLUMNS, sorting)} rows={data} rowKey={({ id }) => id} />
      )}
    </>
  );
}

function End({ session }: { session: SessionView }): ReactNode {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSettled: () => void client.invalidateQueries({ queryKey: SESSIONS }),
  });
  const [asking, setAsking] = useState(false);
  const reason = session.current ? "This session: sign out ends it." : end.isPending ? "It is being ended." : null;
  return (
    <>
      <Button small look="danger" reason={reason} onClick={() => setAsking(true)}>
        End<span className="hidden-text"> the session from {session.client || "an unknown address"}</span>
      </Button>
      <Confirm
        open={asking}
        title={`End the session of ${session.browser_name}`}
        action="End"
        busy={end.isPending}
        onConfirm={() => end.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => {
          end.reset();
          setAsking(false);
        }}
      >
        <p>That browser, at {session.client || "an unknown address"}, has to sign in again.</p>
        <CopyButton text={cli.endSession(session.id)} curl={curls.endSession(session.id)} />
        {end.error && <ProblemNote problem={asProblem(end.error)} />}
      </Confirm>
    </>
  );
}
