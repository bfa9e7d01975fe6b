/** Users, and one's own account, as command lines. */

import type { IdentityProviderSettings, Role } from "@/api/types";
import { shellWord } from "./shell-word";

export const accountsCli = {
  users: () => "sextant users list",
  createUser: (name: string, role: Role) => `sextant users create ${shellWord(name)} --role ${role}`,
  setRole: (name: string, role: Role) => `sextant users role ${name} ${role}`,
  disableUser: (name: string) => `sextant users disable ${name}`,
  enableUser: (name: string) => `sextant users enable ${name}`,
  resetPassword: (name: string) => `sextant users reset-password ${name}`,
  sessions: () => "sextant account sessions",
  endSession: (id: number) => `sextant account end-session ${id}`,
  changePassword: () => "sextant account password",
  tokens: () => "sextant tokens list",
  createToken: (name: string, role: Role, days: string) =>
    `sextant tokens create ${shellWord(name)} --role ${role} --days ${shellWord(days)}`,
  identityProvider: () => "sextant identity-provider",
  setIdentityProvider: (wanted: IdentityProviderSettings) => `sextant identity-provider set${providerOptions(wanted)}`,
  removeIdentityProvider: () => "sextant identity-provider remove",
  revokeToken: (id: number) => `sextant tokens revoke ${id}`,
} as const;

/** Never the secret itself: a command line is seen by others. */
function providerOptions(wanted: IdentityProviderSettings): string {
  const { name, issuer, console_url, client_id, client_secret, username_claim, groups_claim, scopes, roles } = wanted;
  return [
    `--name ${shellWord(name)}`,
    `--issuer ${shellWord(issuer)}`,
    `--console-url ${shellWord(console_url)}`,
    `--client-id ${shellWord(client_id)}`,
    client_secret && !client_secret.startsWith("secret:") ? "--client-secret env:CLIENT_SECRET" : "",
    username_claim ? `--username-claim ${shellWord(username_claim)}` : "",
    groups_claim ? `--groups-claim ${shellWord(groups_claim)}` : "",
    ...(scopes ?? []).map((scope) => `--scope ${shellWord(scope)}`),
    ...Object.entries(roles).map(([group, role]) => `--group ${shellWord(`${group}=${role}`)}`),
  ]
    .filter((option) => option !== "")
    .map((option) => ` ${option}`)
    .join("");
}
