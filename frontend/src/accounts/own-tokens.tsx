/** One's own API tokens: named, never above one's role, with an end; shown once, revoked here. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createToken, revokeToken, TOKENS, tokensQuery } from "@/api/account-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { TokenSort } from "@/api/sorts";
import type { Role, TokenView } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { RoleField } from "./role-field";
import { ShownOnce } from "./shown-once";

const COLUMNS: readonly ServerSorted<TokenView, TokenSort>[] = [
  { key: "name", head: "Name", sorts: ["name", "-name"], cell: ({ name }) => <b className="strong">{name}</b> },
  { key: "role", head: "Role", sorts: ["role", "-role"], cell: ({ role }) => role },
  {
    key: "expires",
    head: "Expires",
    sorts: ["expires_at", "-expires_at"],
    cell: ({ expires_at }) => when(expires_at),
  },
  {
    key: "used",
    head: "Last used",
    secondRank: true,
    sorts: ["-last_used_at", "last_used_at"],
    cell: ({ last_used_at }) => when(last_used_at),
  },
  // Numbers of tokens rise as they are created.
  { key: "made", head: "Created", secondRank: true, sorts: ["id", "-id"], cell: ({ created_at }) => when(created_at) },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (token) => <Revoke token={token} />,
  },
];

export function OwnTokens({ most, ...sorting }: { most: Role } & Sorting<TokenSort>): ReactNode {
  const { data, error } = useQuery(tokensQuery(sorting.sort));
  return (
    <>
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading API tokens</p>}
      {data && data.length > 0 && (
        <Table label="API tokens" columns={sortedHeads(COLUMNS, sorting)} rows={data} rowKey={({ id }) => id} />
      )}
      {data?.length === 0 && <p className="empty">No API tokens. The sextant command and scripts sign in by one.</p>}
      <NewToken most={most} />
    </>
  );
}

function Revoke({ token }: { token: TokenView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSettled: () => void client.invalidateQueries({ queryKey: TOKENS }),
  });
  return (
    <>
      <Button small look="danger" onClick={() => setAsking(true)}>
        Revoke<span className="hidden-text"> {token.name}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Revoke ${token.name}`}
        action="Revoke"
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => {
          revoke.reset();
          setAsking(false);
        }}
      >
        <p>Whatever signs in by it is refused from then on. It does not come back.</p>
        <CopyButton text={cli.revokeToken(token.id)} curl={curls.revokeToken(token.id)} />
        {revoke.error && <ProblemNote problem={asProblem(revoke.error)} />}
      </Confirm>
    </>
  );
}

function NewToken({ most }: { most: Role }): ReactNode {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [days, setDays] = useState("90");
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: () => createToken({ name, role, days: Number(days) }),
    onSuccess: () => void client.invalidateQueries({ queryKey: TOKENS }),
  });
  const problem = making.error ? asProblem(making.error) : null;
  const fields = fieldMessages(problem?.errors ?? []);
  const reason = name === "" ? "Name the token first." : making.isPending ? "It is being created." : null;
  return (
    <form
      className="account-form padded"
      aria-label="Create a token"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === null) making.mutate();
      }}
    >
      <Field label="Name" value={name} onChange={setName} error={fields("name")} hint="replaces one of the same name" />
      <Field
        label="Days"
        value={days}
        onChange={setDays}
        inputMode="numeric"
        error={fields("days")}
        hint="at most 365"
      />
      <RoleField
        value={role}
        onChange={setRole}
        most={most}
        hint={most === "admin" ? undefined : `You are ${most}: a token of yours cannot do more.`}
        error={fields("role")}
      />
      <div className="row-actions">
        <Button type="submit" reason={reason} reasonSide="below-left">
          Create token
        </Button>
        {name !== "" && (
          <CopyButton text={cli.createToken(name, role, days)} curl={curls.createToken(name, role, days)} />
        )}
      </div>
      {problem && (problem.errors ?? []).length === 0 && <ProblemNote problem={problem} />}
      {making.data && <ShownOnce what={`Token ${making.data.token.name}`} secret={making.data.secret} />}
    </form>
  );
}
