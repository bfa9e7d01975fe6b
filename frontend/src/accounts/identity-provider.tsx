/** Sign-in by an identity provider: set it up, change it, remove it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { identityProviderQuery, removeIdentityProvider, setIdentityProvider } from "@/api/account-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { IdentityProvider } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { draftOf, missingIn, type ProviderDraft, rolesOf, settingsOf } from "./provider-draft";

const RETURN_PATH = "/api/v1/auth/oidc/callback";

export function IdentityProviderSection(): ReactNode {
  const { data, error, isPending } = useQuery(identityProviderQuery);
  const [editing, setEditing] = useState(false);
  const end = (
    <span className="row-actions tight">
      <CopyButton text={cli.identityProvider()} curl={curls.identityProvider()} />
      {data && !editing && <Button onClick={() => setEditing(true)}>Change</Button>}
      {data && <RemoveProvider provider={data} />}
    </span>
  );
  return (
    <Section title="Identity provider" end={end} padded>
      {error && <ProblemNote problem={asProblem(error)} />}
      {isPending && <p className="empty late">Loading the identity provider</p>}
      {data && !editing && <Facts provider={data} />}
      {data === null && !editing && (
        <>
          <p className="t2">None is set up: users sign in by password. Any OpenID Connect provider will do.</p>
          <p className="row-actions">
            <Button onClick={() => setEditing(true)}>Set up</Button>
          </p>
        </>
      )}
      {data !== undefined && editing && <ProviderForm stored={data} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function Facts({ provider }: { provider: IdentityProvider }): ReactNode {
  return (
    <dl className="facts">
      <dt>Name</dt>
      <dd>{provider.name}</dd>
      <dt>Issuer</dt>
      <dd>{provider.issuer}</dd>
      <dt>Redirect URL</dt>
      <dd>{provider.redirect_url}</dd>
      <dt>Client</dt>
      <dd>
        {provider.client_id}, {provider.client_secret ? "with a secret" : "without a secret"}
      </dd>
      <dt>Groups</dt>
      <dd>
        {Object.entries(provider.roles)
          .map(([group, role]) => `${group}: ${role}`)
          .join(", ")}
        <span className="t3"> from claim {provider.groups_claim}</span>
      </dd>
      <dt>Changed</dt>
      <dd>
        {when(provider.changed_at)} by {provider.changed_by}
      </dd>
    </dl>
  );
}

function ProviderForm({ stored, onClose }: { stored: IdentityProvider | null; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState<ProviderDraft>(() => draftOf(stored, location.origin));
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => setIdentityProvider(settingsOf(draft, stored), stored?.version ?? null),
    onSuccess: (saved) => {
      client.setQueryData(identityProviderQuery.queryKey, saved);
      onClose();
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const wrong = fieldMessages(problem?.errors ?? []);
  const set = (field: keyof ProviderDraft) => (value: string) => setDraft((former) => ({ ...former, [field]: value }));
  const missing = missingIn(draft);
  const reason = missing ?? (save.isPending ? "The provider is being asked." : null);
  return (
    <form
      className="account-form"
      aria-label="Identity provider"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === null) save.mutate();
      }}
    >
      <Field
        label="Name"
        value={draft.name}
        onChange={set("name")}
        error={wrong("name")}
        hint="the sign-in page offers: Sign in with NAME"
      />
      <Field
        label="Issuer"
        value={draft.issuer}
        onChange={set("issuer")}
        error={wrong("issuer")}
        hint="exactly as the provider names itself"
        placeholder="https://id.example/realms/ops"
      />
      <Field
        label="Console"
        value={draft.consoleUrl}
        onChange={set("consoleUrl")}
        error={wrong("console_url")}
        hint={`register this redirect URI there: ${draft.consoleUrl.trim()}${RETURN_PATH}`}
      />
      <Field label="Client id" value={draft.clientId} onChange={set("clientId")} error={wrong("client_id")} />
      <Field
        label="Client secret"
        type="password"
        value={draft.secret}
        onChange={set("secret")}
        autoComplete="off"
        error={wrong("client_secret")}
        hint={stored?.client_secret ? "stored; empty: it stays" : "stored sealed, and shown to nobody"}
      />
      <Field
        label="Groups"
        value={draft.roles}
        onChange={set("roles")}
        rows={4}
        error={rolesOf(draft.roles).error ?? wrong("roles")}
        hint="group = role, one a line; of several groups the highest role"
      />
      <Field
        label="Groups claim"
        value={draft.groupsClaim}
        onChange={set("groupsClaim")}
        error={wrong("groups_claim")}
        hint="dots lead into objects: realm_access.roles"
      />
      <Field
        label="Name claim"
        value={draft.usernameClaim}
        onChange={set("usernameClaim")}
        error={wrong("username_claim")}
        hint="becomes the username at the first sign-in"
      />
      <Field label="Scopes" value={draft.scopes} onChange={set("scopes")} error={wrong("scopes")} />
      {problem && (problem.errors ?? []).length === 0 && <ProblemNote problem={problem} />}
      <div className="row-actions">
        <Button type="submit" look="primary" reason={reason} reasonSide="below-left">
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        {missing === null && <CopyButton text={cli.setIdentityProvider(settingsOf(draft, stored))} />}
      </div>
    </form>
  );
}

function RemoveProvider({ provider }: { provider: IdentityProvider }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeIdentityProvider(provider.version),
    onSuccess: () => setAsking(false),
    onSettled: () => void client.invalidateQueries({ queryKey: identityProviderQuery.queryKey }),
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        open={asking}
        title={`Remove ${provider.name}`}
        action="Remove"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => {
          remove.reset();
          setAsking(false);
        }}
      >
        <p>
          Nobody signs in by it any more. Its users stay; their sessions go on until they end or you disable the user.
        </p>
        <CopyButton text={cli.removeIdentityProvider()} curl={curls.removeIdentityProvider()} />
        {remove.error && <ProblemNote problem={asProblem(remove.error)} />}
      </Confirm>
    </>
  );
}
