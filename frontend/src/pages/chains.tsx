/** Chains: every chain, live; violated ones first, or as the reader sorts them. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { ChainView } from "@/api/types";
import { CHAIN_COLUMNS, chainsInOrder } from "@/chains/chains-table";
import { groupNames, standTogether } from "@/fleet/anti-affinity";
import { isViolated } from "@/fleet/violations";
import { count, thousands } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive } from "@/live/store";
import { ColumnChoice } from "@/ui/column-choice";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { type Choice, Picker } from "@/ui/select";
import { SortableTable } from "@/ui/sortable-table";
import { type TableView, tableView } from "@/ui/table-view";

/** More rows at once make a page slow; the line above the table says how many there are. */
const MOST = 100;
/** So many are read through without a filter. */
const FEW = 12;
/** No group has this name: names are of lower-case letters. */
const EVERY = "EVERY";

export interface ChainsSearch extends TableView {
  find?: string;
  /** Only chains of this anti-affinity group. */
  group?: string;
}

export function chainsSearch(raw: Record<string, unknown>): ChainsSearch {
  const find = typeof raw.find === "string" ? raw.find.slice(0, 120) : "";
  const group = typeof raw.group === "string" ? raw.group.slice(0, 63) : "";
  return { ...tableView(raw, CHAIN_COLUMNS), ...(find ? { find } : {}), ...(group ? { group } : {}) };
}

const route = getRouteApi("/shell/chains");

export function ChainsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const set = (next: ChainsSearch) =>
    void navigate({ to: "/chains", search: chainsSearch({ ...next }), replace: true });
  const chains = useLive((state) => state.chains);
  const { find = "", group = "", ...view } = search;
  const all = useMemo(() => chainsInOrder(chains.values()), [chains]);
  const wanted = find.trim().toLowerCase();
  const found = useMemo(
    () => all.filter((chain) => (!wanted || isNamed(chain, wanted)) && (!group || groupOf(chain) === group)),
    [all, wanted, group],
  );
  const groups = useMemo(() => groupNames(all), [all]);
  const together = useMemo(() => standTogether(all).size, [all]);
  const violated = all.filter(isViolated).length;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Chains"
        facts={
          <>
            <span>
              <b>{thousands(all.length)}</b> {all.length === 1 ? "chain" : "chains"}
            </span>
            {violated > 0 && (
              <span className="bad">
                <Shape name="bad" />
                {thousands(violated)} violated
              </span>
            )}
            {together > 0 && (
              <span className="bad">
                <Shape name="bad" />
                {thousands(together)} not apart
              </span>
            )}
          </>
        }
        actions={
          <>
            {(all.length > FEW || find) && (
              <input
                className="input"
                type="search"
                aria-label="Show only chains whose name, NFs or host contain"
                placeholder="chain, NF or host"
                value={find}
                onChange={(event) => set({ ...view, group, find: event.target.value })}
              />
            )}
            {(groups.length > 0 || group) && (
              <Picker
                label="Group"
                value={group || EVERY}
                choices={[{ key: EVERY, text: "every group" }, ...choicesOf(groups, group)]}
                onChange={(key) => set({ ...view, find, group: key === EVERY ? "" : key })}
              />
            )}
            {all.length > 0 && (
              <ColumnChoice columns={CHAIN_COLUMNS} view={view} onView={(next) => set({ find, group, ...next })} />
            )}
            <Link className="btn primary" to="/chains/new">
              New chain <kbd>N</kbd>
            </Link>
          </>
        }
      />
      {found.length > MOST && (
        <p className="empty">
          {MOST} of {count(found.length, "chain")} shown. Sort, or type part of a name, to see others.
        </p>
      )}
      {found.length > 0 && (
        <SortableTable
          label="Chains"
          columns={CHAIN_COLUMNS}
          rows={found}
          rowKey={({ spec }) => spec.name}
          view={view}
          onView={(next) => set({ find, group, ...next })}
          most={MOST}
        />
      )}
      {found.length === 0 && <NoChains filtered={wanted !== "" || group !== ""} />}
    </main>
  );
}

/** One that no chain has any more stays to be seen, and to be left. */
function choicesOf(groups: readonly string[], group: string): Choice[] {
  const names = group === "" || groups.includes(group) ? groups : [...groups, group];
  return names.map((name) => ({ key: name, text: name }));
}

function groupOf({ spec }: ChainView): string | undefined {
  return spec.anti_affinity?.group;
}

/** `wanted` is in small letters, as all names are: thousands of chains are looked through with every sample. */
function isNamed({ spec, placement }: ChainView, wanted: string): boolean {
  return (
    spec.name.includes(wanted) ||
    spec.nfs.some(({ name }) => name.includes(wanted)) ||
    placement.some(({ seat }) => seat.host.includes(wanted))
  );
}

function NoChains({ filtered }: { filtered: boolean }): ReactNode {
  if (filtered) return <p className="empty">No chain has that text in its name, its NFs or its host.</p>;
  return (
    <div className="empty">
      <Claim>No chains yet.</Claim> A chain is an ordered list of NFs with its traffic and objectives.
      <div className="actions">
        <Link className="btn primary" to="/chains/new">
          New chain
        </Link>
        <code className="command">sextant chains submit examples/chains/edge.yaml --apply --wait</code>
      </div>
    </div>
  );
}
