/** The form of a new channel; a webhook's secret is shown once, when it is made. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { ShownOnce } from "@/accounts/shown-once";
import { CHANNELS, createChannel } from "@/api/notification-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { AlertSeverity } from "@/api/types";
import { cli } from "@/session/cli";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { type ChannelDraft, channelOf, EMPTY_CHANNEL } from "./channel-draft";
import { SEVERITIES } from "./words";

export function NewChannel(): ReactNode {
  const form = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState<ChannelDraft>(EMPTY_CHANNEL);
  const role = useRoleReason("notifications.manage");
  const make = useMutation({
    mutationFn: createChannel,
    onSuccess: () => {
      setDraft({ ...draft, password: "" });
      void client.invalidateQueries({ queryKey: CHANNELS });
    },
  });
  const asked = channelOf(draft);
  const problem = make.error ? asProblem(make.error) : null;
  const error = fieldMessages(problem?.errors ?? []);
  const set = (part: Partial<ChannelDraft>) => setDraft({ ...draft, ...part });
  const pending = make.isPending ? "It is being made." : make.data ? "It was made." : null;
  const reason = role ?? pending ?? (asked ? null : "Fill in what is empty first.");
  return (
    <form
      id={form}
      aria-label="New channel"
      onSubmit={(event) => {
        event.preventDefault();
        if (asked && !reason) make.mutate(asked);
      }}
    >
      <Segmented<ChannelDraft["kind"]>
        label="Kind"
        value={draft.kind}
        options={[
          { key: "webhook", text: "Webhook" },
          { key: "email", text: "Mail" },
        ]}
        onChange={(kind) => set({ kind })}
      />
      <Field label="Name" value={draft.name} onChange={(name) => set({ name })} error={error("name")} />
      {draft.kind === "webhook" ? (
        <Field
          label="Address"
          value={draft.url}
          onChange={(url) => set({ url })}
          hint="https://HOST/PATH; http:// only in private networks that are allowed"
          error={error("target.url") ?? error("target.webhook.url")}
        />
      ) : (
        <MailFields draft={draft} set={set} error={error} />
      )}
      <Segmented<AlertSeverity>
        label="Sends alerts from this severity on"
        value={draft.least}
        options={SEVERITIES.map((key) => ({ key, text: key }))}
        onChange={(least) => set({ least })}
      />
      {make.data?.secret && <ShownOnce what="Secret that messages are signed with" secret={make.data.secret} />}
      {make.data && !make.data.secret && <p role="status">{make.data.channel.name} was made.</p>}
      {problem && <ProblemNote problem={problem} onDismiss={() => make.reset()} />}
      <WindowActions>
        {draft.kind === "webhook" && asked && (
          <CopyButton text={cli.addWebhook(asked.name, draft.url.trim(), draft.least)} />
        )}
        <Button look="primary" type="submit" form={form} reasonSide="above" reason={reason}>
          Add channel
        </Button>
      </WindowActions>
    </form>
  );
}

function MailFields(props: {
  draft: ChannelDraft;
  set: (part: Partial<ChannelDraft>) => void;
  error: (field: string) => string | undefined;
}): ReactNode {
  const { draft, set, error } = props;
  const of = (field: string) => error(`target.${field}`) ?? error(`target.email.${field}`);
  return (
    <div className="fields policy-fields">
      <Field label="Mail server" value={draft.server} onChange={(server) => set({ server })} error={of("server")} />
      <Field
        label="Port"
        inputMode="numeric"
        value={draft.port}
        onChange={(port) => set({ port })}
        hint="encrypted by STARTTLS; other ways by the command"
        error={of("port")}
      />
      <Field label="From" value={draft.sender} onChange={(sender) => set({ sender })} error={of("sender")} />
      <Field
        label="To"
        value={draft.recipients}
        onChange={(recipients) => set({ recipients })}
        hint="addresses, separated by commas"
        error={of("recipients")}
      />
      <Field
        label="User name"
        value={draft.username}
        onChange={(username) => set({ username })}
        hint="where the server wants one"
        autoComplete="off"
        error={of("username")}
      />
      <Field
        label="Password"
        type="password"
        value={draft.password}
        onChange={(password) => set({ password })}
        autoComplete="new-password"
        error={of("password")}
      />
    </div>
  );
}
