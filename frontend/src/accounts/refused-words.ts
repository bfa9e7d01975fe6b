/** Why a sign-in by the identity provider failed, and what to do: the address names the reason only, since a sentence in
 * an address could be anybody's. */

export const REFUSED = {
  "not-set-up": "No identity provider is set up. Sign in by password, or ask an administrator to set one up.",
  provider:
    "The identity provider could not be reached, or did not take this console. Try again; the cause is in the audit log, for an administrator.",
  expired:
    "The sign-in was begun more than 10 minutes ago, in another browser, or at another address of this console. Begin again.",
  declined: "The identity provider declined the sign-in. Begin again, or ask who keeps your account there.",
  invalid: "What the identity provider sent does not prove who you are. Begin again; the cause is in the audit log.",
  "no-role": "None of your groups has a role in this console. Ask an administrator to give one of them a role.",
  disabled: "Your account is disabled in this console. Ask an administrator.",
  name: "Your name at the identity provider is taken here, or cannot be a username. Ask an administrator.",
} as const;

export type Refused = keyof typeof REFUSED;

export function isRefused(value: unknown): value is Refused {
  return typeof value === "string" && Object.hasOwn(REFUSED, value);
}
