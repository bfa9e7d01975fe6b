/** What the address of CoCo's tab says: which host is open, how the list of hosts is looked at. Pure. */

import { type TableView, tableView } from "@/ui/table-view";
import { HOST_COLUMNS } from "./host-columns";

export interface CocoSearch extends TableView {
  /** The one that is open. */
  host?: string;
  /** Only hosts with an overloaded core. */
  overloaded?: true;
}

/** Undefined takes a part out of the address. */
export type CocoChange = { [K in keyof CocoSearch]?: CocoSearch[K] | undefined };

export function cocoSearch(raw: Record<string, unknown>): CocoSearch {
  return {
    ...(typeof raw.host === "string" && /^[a-z0-9][a-z0-9.-]{0,62}$/.test(raw.host) ? { host: raw.host } : {}),
    ...(raw.overloaded === true ? { overloaded: true as const } : {}),
    ...tableView(raw, HOST_COLUMNS),
  };
}
