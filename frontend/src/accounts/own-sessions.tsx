/** The browsers that one is signed in with. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { endSession, sessionsQuery } from "@/api/account-queries";
import { asProblem } from "@/api/problem";
import type { SessionView } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<SessionView>[] = [
  { key: "from", head: "Address", cell: ({ client }) => client || "unknown" },
  { key: "browser", head: "Browser", cell: ({ browser, browser_name }) => <span title={browser}>{browser_name}</span> },
  { key: "since", head: "Signed in", cell: ({ created_at }) => when(created_at) },
  { key: "used", head: "Last used", secondRank: true, cell: ({ last_used_at }) => when(last_used_at) },
  { key: "expires", head: "Ends", secondRank: true, cell: ({ expires_at }) => when(expires_at) },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (session) => <End session={session} />,
  },
];

export function OwnSessions(): ReactNode {
  const { data, error } = useQuery(sessionsQuery);
  return (
    <>
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading sessions</p>}
      {data?.length === 0 && <p className="empty">No browser is signed in: you came by an API token.</p>}
      {data && data.length > 0 && <Table label="Sessions" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />}
    </>
  );
}

function End({ session }: { session: SessionView }): ReactNode {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSettled: () => void client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
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
