/** What the address of NUMASFP's tab says: which host is open, how the list of hosts is looked at. Pure. */

import { type TableView, tableView } from "@/ui/table-view";
import { HOST_COLUMNS } from "./host-columns";

export interface LawSearch extends TableView {
  /** The one that is open. */
  host?: string;
  /** Only hosts with a violated chain. */
  violated?: true;
}

/** Undefined takes a part out of the address. */
export type LawChange = { [K in keyof LawSearch]?: LawSearch[K] | undefined };

export function lawSearch(raw: Record<string, unknown>): LawSearch {
  return {
    ...(typeof raw.host === "string" && /^[a-z0-9][a-z0-9.-]{0,62}$/.test(raw.host) ? { host: raw.host } : {}),
    ...(raw.violated === true ? { violated: true as const } : {}),
    ...tableView(raw, HOST_COLUMNS),
  };
}
