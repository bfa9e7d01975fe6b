/** The users of the console: who may do what, since when; each with what an administrator can change. */

import type { ReactNode } from "react";
import type { UserSort } from "@/api/sorts";
import type { UserView } from "@/api/types";
import { when } from "@/lib/format";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { ChangeRole } from "./change-role";
import { DisableUser } from "./disable-user";
import { ResetPassword } from "./reset-password";

const COLUMNS: readonly ServerSorted<UserView, UserSort>[] = [
  {
    key: "name",
    head: "User",
    sorts: ["username", "-username"],
    cell: ({ username }) => <b className="strong">{username}</b>,
  },
  { key: "role", head: "Role", sorts: ["role", "-role"], cell: ({ role }) => role },
  { key: "state", head: "State", cell: stateText },
  { key: "by", head: "Signs in by", secondRank: true, cell: ({ issuer }) => issuer ?? "password" },
  { key: "used", head: "Last used", secondRank: true, cell: ({ last_used_at }) => when(last_used_at) },
  {
    key: "made",
    head: "Created",
    secondRank: true,
    sorts: ["-created_at", "created_at"],
    cell: ({ created_at }) => when(created_at),
  },
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

export function UsersTable(props: { users: readonly UserView[] } & Sorting<UserSort>): ReactNode {
  const columns = sortedHeads(COLUMNS, props);
  return (
    <Table label="Users" className="users" columns={columns} rows={props.users} rowKey={(user) => user.username} />
  );
}

function stateText({ disabled_at, must_change_password }: UserView): string {
  if (disabled_at) return `disabled ${when(disabled_at)}`;
  return must_change_password ? "must change the password" : "active";
}
