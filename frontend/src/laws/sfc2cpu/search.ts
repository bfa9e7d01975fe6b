/** What the address of the tab Shared cores says: which host is open. Pure. */

export interface SharedCoresSearch {
  /** The one that is open. */
  host?: string;
}

/** Undefined takes it out of the address. */
export type SharedCoresChange = { [K in keyof SharedCoresSearch]?: SharedCoresSearch[K] | undefined };

export function sharedCoresSearch(raw: Record<string, unknown>): SharedCoresSearch {
  return typeof raw.host === "string" && /^[a-z0-9][a-z0-9.-]{0,62}$/.test(raw.host) ? { host: raw.host } : {};
}
