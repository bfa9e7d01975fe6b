/** The identity provider's form: from settings to texts and back. Pure. */

import type { IdentityProvider, IdentityProviderSettings, Role } from "@/api/types";
import { ROLES } from "@/session/permission";

export interface ProviderDraft {
  readonly name: string;
  readonly issuer: string;
  readonly consoleUrl: string;
  readonly clientId: string;
  /** Empty: the stored one stays. */
  readonly secret: string;
  readonly groupsClaim: string;
  readonly usernameClaim: string;
  readonly scopes: string;
  /** `group = role`, one a line. */
  readonly roles: string;
}

export function draftOf(stored: IdentityProvider | null, origin: string): ProviderDraft {
  return {
    name: stored?.name ?? "",
    issuer: stored?.issuer ?? "",
    consoleUrl: stored?.console_url ?? origin,
    clientId: stored?.client_id ?? "",
    secret: "",
    groupsClaim: stored?.groups_claim ?? "groups",
    usernameClaim: stored?.username_claim ?? "preferred_username",
    scopes: (stored?.scopes ?? ["openid", "profile"]).join(" "),
    roles: Object.entries(stored?.roles ?? {})
      .map(([group, role]) => `${group} = ${role}`)
      .join("\n"),
  };
}

export function settingsOf(draft: ProviderDraft, stored: IdentityProvider | null): IdentityProviderSettings {
  return {
    name: draft.name.trim(),
    issuer: draft.issuer.trim(),
    console_url: draft.consoleUrl.trim(),
    client_id: draft.clientId.trim(),
    client_secret: draft.secret === "" ? (stored?.client_secret ?? null) : draft.secret,
    groups_claim: draft.groupsClaim.trim(),
    username_claim: draft.usernameClaim.trim(),
    scopes: draft.scopes.split(/\s+/).filter((scope) => scope !== ""),
    roles: rolesOf(draft.roles).roles,
  };
}

/** A group may have spaces and `=` in its name: the last `=` parts it from the role. */
export function rolesOf(text: string): { roles: Record<string, Role>; error: string | undefined } {
  const roles: Record<string, Role> = {};
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.lastIndexOf("=");
    const group = line.slice(0, Math.max(at, 0)).trim();
    const role = ROLES.find((one) => one === line.slice(at + 1).trim());
    if (group === "" || role === undefined) {
      return { roles, error: `"${line}": write group = role, with one of ${ROLES.join(", ")}` };
    }
    roles[group] = role;
  }
  return { roles, error: undefined };
}

/** Why it cannot be saved yet; null where it can. */
export function missingIn(draft: ProviderDraft): string | null {
  if (draft.name.trim() === "") return "Name the provider first.";
  if (draft.issuer.trim() === "") return "Give the issuer first.";
  if (draft.clientId.trim() === "") return "Give the client id first.";
  const { roles, error } = rolesOf(draft.roles);
  if (error) return "Mend the groups first.";
  return Object.keys(roles).length === 0 ? "Give a role to one group at least." : null;
}
