/** One's own account: password, sessions, API tokens. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { OwnPassword } from "@/accounts/own-password";
import { OwnSessions } from "@/accounts/own-sessions";
import { OwnTokens } from "@/accounts/own-tokens";
import { ACCOUNT } from "@/api/account-queries";
import { sessionQuery } from "@/api/queries";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { Section } from "@/ui/section";
import { type AccountSearch, accountSearch, type Resorted } from "./searches";

const route = getRouteApi("/shell/account");

export function AccountPage(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const client = useQueryClient();
  const search = route.useSearch();
  const navigate = useNavigate();
  const sorted = (by: Resorted<AccountSearch>) =>
    void navigate({ to: "/account", search: accountSearch({ ...search, ...by }), replace: true });
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="My account"
        facts={
          <span>
            {session?.username} · {session?.role}
          </span>
        }
        actions={
          <Link className="btn" to="/audit">
            Audit log
          </Link>
        }
      />
      <Section title="Sessions" end={<CopyButton text={cli.sessions()} curl={curls.sessions()} />}>
        <OwnSessions sort={search.sessions} onSort={(sessions) => sorted({ sessions })} />
      </Section>
      <Section
        title="API tokens"
        note="a token may do no more than its role, and is shown once"
        end={<CopyButton text={cli.tokens()} curl={curls.tokens()} />}
      >
        <OwnTokens most={session?.role ?? "viewer"} sort={search.tokens} onSort={(tokens) => sorted({ tokens })} />
      </Section>
      <OwnPassword
        issuer={session?.issuer ?? null}
        onChanged={() => void client.invalidateQueries({ queryKey: ACCOUNT })}
      />
    </main>
  );
}
