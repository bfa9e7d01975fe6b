/** The users of the console: who may do what, since when; each with what an administrator can change. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { changeUser, resetPassword, USERS } from "@/api/account-queries";
import { asProblem } from "@/api/problem";
import type { Role, UserView } from "@/api/types";
import { when } from "@/lib/format";
import { ROLES, useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { type Column, Table } from "@/ui/table";
import { ShownOnce } from "./shown-once";

const COLUMNS: readonly Column<UserView>[] = [
  { key: "name", head: "User", cell: ({ username }) => <b className="strong">{username}</b> },
  { key: "role", head: "Role", cell: (user) => <RoleChoice user={user} /> },
  { key: "state", head: "State", cell: stateText },
  { key: "used", head: "Last used", secondRank: true, cell: ({ last_used_at }) => when(last_used_at) },
  { key: "made", head: "Created", secondRank: true, cell: ({ created_at }) => when(created_at) },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (user) => (
      <span className="row-actions tight">
        <ResetPassword user={user} />
        <Switch user={user} />
      </span>
    ),
  },
];

export function UsersTable({ users }: { users: readonly UserView[] }): ReactNode {
  return <Table label="Users" columns={COLUMNS} rows={users} rowKey={({ username }) => username} />;
}

function stateText({ disabled_at, must_change_password }: UserView): string {
  if (disabled_at) return `disabled ${when(disabled_at)}`;
  return must_change_password ? "must change the password" : "active";
}

function useChange(user: UserView) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { role: Role | null; disabled: boolean | null }) => changeUser(user, wanted),
    onSettled: () => void client.invalidateQueries({ queryKey: USERS }),
  });
}

function RoleChoice({ user }: { user: UserView }): ReactNode {
  const change = useChange(user);
  const denied = useRoleReason("users.manage") !== null;
  return (
    <>
      <Segmented<Role>
        label={`Role of ${user.username}`}
        value={user.role}
        options={ROLES.map((key) => ({ key, text: key, disabled: denied || change.isPending }))}
        onChange={(role) => change.mutate({ role, disabled: null })}
      />
      {change.error && <ProblemNote problem={asProblem(change.error)} onDismiss={() => change.reset()} />}
    </>
  );
}

function Switch({ user }: { user: UserView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const change = useChange(user);
  const reason = useRoleReason("users.manage");
  if (user.disabled_at) {
    return (
      <>
        <Button
          small
          reason={reason ?? (change.isPending ? "It is being enabled." : null)}
          reasonSide="below-left"
          onClick={() => change.mutate({ role: null, disabled: false })}
        >
          Enable<span className="hidden-text"> {user.username}</span>
        </Button>
        {change.error && <ProblemNote problem={asProblem(change.error)} onDismiss={() => change.reset()} />}
      </>
    );
  }
  return (
    <>
      <Button small look="danger" reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Disable<span className="hidden-text"> {user.username}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Disable ${user.username}`}
        action="Disable"
        busy={change.isPending}
        onConfirm={() => change.mutate({ role: null, disabled: true }, { onSuccess: () => setAsking(false) })}
        onClose={() => {
          change.reset();
          setAsking(false);
        }}
      >
        <p>The sessions and API tokens of {user.username} end at once. Tokens do not come back when it is enabled.</p>
        {change.error && <ProblemNote problem={asProblem(change.error)} />}
      </Confirm>
    </>
  );
}

function ResetPassword({ user }: { user: UserView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => resetPassword(user.username),
    onSuccess: () => void client.invalidateQueries({ queryKey: USERS }),
  });
  const reason = useRoleReason("users.manage");
  return (
    <>
      <Button small reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Reset password<span className="hidden-text"> of {user.username}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Reset the password of ${user.username}`}
        action="Reset"
        reason={reset.isPending ? "It is being reset." : reset.data ? "It was reset." : null}
        onConfirm={() => reset.mutate()}
        onClose={() => {
          reset.reset();
          setAsking(false);
        }}
      >
        <p>Sessions end. API tokens are refused until the generated password has been changed.</p>
        {reset.data && <ShownOnce what={`Password of ${user.username}`} secret={reset.data.password} />}
        {reset.error && <ProblemNote problem={asProblem(reset.error)} />}
      </Confirm>
    </>
  );
}
