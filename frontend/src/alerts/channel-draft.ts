/** A channel while it is being written: what was typed, as the request. Pure. */

import type { AlertSeverity, ChannelNew } from "@/api/types";

export interface ChannelDraft {
  readonly kind: "webhook" | "email";
  readonly name: string;
  readonly url: string;
  readonly server: string;
  readonly port: string;
  readonly sender: string;
  /** By commas. */
  readonly recipients: string;
  readonly username: string;
  readonly password: string;
  readonly least: AlertSeverity;
}

export const EMPTY_CHANNEL: ChannelDraft = {
  kind: "webhook",
  name: "",
  url: "",
  server: "",
  port: "587",
  sender: "",
  recipients: "",
  username: "",
  password: "",
  least: "warning",
};

/** Null while a field that it takes is empty; the console judges what is in them. */
export function channelOf(draft: ChannelDraft): ChannelNew | null {
  const name = draft.name.trim();
  const rest = { least_severity: draft.least, send_resolved: true };
  if (draft.kind === "webhook") {
    const url = draft.url.trim();
    return name && url ? { name, target: { kind: "webhook", url, secret: null }, ...rest } : null;
  }
  const recipients = draft.recipients
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const [server, sender, port] = [draft.server.trim(), draft.sender.trim(), Number(draft.port)];
  if (!name || !server || !sender || recipients.length === 0 || !Number.isInteger(port)) return null;
  return {
    name,
    target: {
      kind: "email",
      server,
      port,
      security: "starttls",
      sender,
      recipients,
      username: draft.username.trim() || null,
      password: draft.password || null,
    },
    ...rest,
  };
}
