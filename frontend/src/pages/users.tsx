/** Users: an administrator creates them, sets roles, disables them, resets passwords. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { IdentityProviderSection } from "@/accounts/identity-provider";
import { NewUser } from "@/accounts/new-user";
import { UsersTable } from "@/accounts/users-table";
import { usersQuery } from "@/api/account-queries";
import { asProblem } from "@/api/problem";
import type { UserSort } from "@/api/sorts";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type SortSearch, withSort } from "./searches";

const route = getRouteApi("/shell/users");

export function UsersPage(): ReactNode {
  const { sort } = route.useSearch();
  const navigate = useNavigate();
  const denied = useRoleReason("users.manage");
  const { data, error, isPending } = useQuery({ ...usersQuery(sort), enabled: denied === null });
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle name="Users" actions={<CopyButton text={cli.users()} curl={curls.users()} />} />
      {denied && <p className="empty">{denied}</p>}
      {error && <ProblemNote problem={asProblem(error)} />}
      {denied === null && isPending && <p className="empty late">Loading users</p>}
      {data && (
        <UsersTable
          users={data}
          sort={sort}
          onSort={(next) =>
            void navigate({ to: "/users", search: withSort<SortSearch<UserSort>>({}, next), replace: true })
          }
        />
      )}
      <Section title="Create a user" note="the password is generated and must be changed at the first sign-in" padded>
        <NewUser />
      </Section>
      {denied === null && <IdentityProviderSection />}
    </main>
  );
}
