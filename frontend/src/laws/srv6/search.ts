/** What the address of SRv6-INT's tab says: which host is open, how the list of hosts is looked at. Pure. */

import { type TableView, tableView } from "@/ui/table-view";
import { HOST_COLUMNS } from "./host-columns";

export interface Srv6Search extends TableView {
  /** The one that is open. */
  host?: string;
  /** Only hosts with a chain that needs more. */
  saturated?: true;
}

/** Undefined takes a part out of the address. */
export type Srv6Change = { [K in keyof Srv6Search]?: Srv6Search[K] | undefined };

export function srv6Search(raw: Record<string, unknown>): Srv6Search {
  return {
    ...(typeof raw.host === "string" && /^[a-z0-9][a-z0-9.-]{0,62}$/.test(raw.host) ? { host: raw.host } : {}),
    ...(raw.saturated === true ? { saturated: true as const } : {}),
    ...tableView(raw, HOST_COLUMNS),
  };
}
