/** The users of the console: who may do what, since when; each with what an administrator can change. */

import type { ReactNode } from "react";
import type { UserView } from "@/api/types";
import { when } from "@/lib/format";
import { type Column, Table } from "@/ui/table";
import { ChangeRole } from "./change-role";
import { DisableUser } from "./disable-user";
import { ResetPassword } from "./reset-password";

const COLUMNS: readonly Column<UserView>[] = [
  { key: "name", head: "User", cell: ({ username }) => <b className="strong">{username}</b> },
  { key: "role", head: "Role", cell: ({ role }) => role },
  { key: "state", head: "State", cell: stateText },
  { key: "by", head: "Signs in by", secondRank: true, cell: ({ issuer }) => issuer ?? "password" },
  { key: "used", head: "Last used", secondRank: true, cell: ({ last_used_at }) => when(last_used_at) },
  { key: "made", head: "Created", secondRank: true, cell: ({ created_at }) => when(created_at) },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (user) => (
      <span className="user-actions">
        <ChangeRole user={user} />
        <ResetPassword user={user} />
        <DisableUser user={user} />
      </span>
    ),
  },
];

export function UsersTable({ users }: { users: readonly UserView[] }): ReactNode {
  return <Table label="Users" className="users" columns={COLUMNS} rows={users} rowKey={({ username }) => username} />;
}

function stateText({ disabled_at, must_change_password }: UserView): string {
  if (disabled_at) return `disabled ${when(disabled_at)}`;
  return must_change_password ? "must change the password" : "active";
}
