/** Only an address of this console may be gone back to after sign-in. */
export function isOwnPath(value: unknown): value is string {
  return typeof value === "string" && /^\/(?![/\\])/.test(value);
}
