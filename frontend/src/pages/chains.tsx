/** Chains: every chain, live; violated ones first, or as the reader sorts them. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { ChainView } from "@/api/types";
import { CHAIN_COLUMNS, chainsInOrder } from "@/chains/chains-table";
import { isViolated } from "@/fleet/violations";
import { count, thousands } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive } from "@/live/store";
import { ColumnChoice } from "@/ui/column-choice";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { SortableTable } from "@/ui/sortable-table";
import { type TableView, tableView } from "@/ui/table-view";

/** More rows at once make a page slow; the line above the table says how many there are. */
const MOST = 300;
/** So many are read through without a filter. */
const FEW = 12;

export interface ChainsSearch extends TableView {
  find?: string;
}

export function chainsSearch(raw: Record<string, unknown>): ChainsSearch {
  const find = typeof raw.find === "string" ? raw.find.slice(0, 120) : "";
  return { ...tableView(raw, CHAIN_COLUMNS), ...(find ? { find } : {}) };
}

const route = getRouteApi("/shell/chains");

export function ChainsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate();
  const set = (next: ChainsSearch) =>
    void navigate({ to: "/chains", search: chainsSearch({ ...next }), replace: true });
  const chains = useLive((state) => state.chains);
  const { find = "", ...view } = search;
  const all = useMemo(() => chainsInOrder(chains.values()), [chains]);
  const wanted = find.trim().toLowerCase();
  const found = useMemo(() => (wanted ? all.filter((chain) => isNamed(chain, wanted)) : all), [all, wanted]);
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
                onChange={(event) => set({ ...view, find: event.target.value })}
              />
            )}
            {all.length > 0 && (
              <ColumnChoice columns={CHAIN_COLUMNS} view={view} onView={(next) => set({ find, ...next })} />
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
          onView={(next) => set({ find, ...next })}
          most={MOST}
        />
      )}
      {found.length === 0 && <NoChains filtered={wanted !== ""} />}
    </main>
  );
}

function isNamed({ spec, placement }: ChainView, wanted: string): boolean {
  const names = [spec.name, ...spec.nfs.map(({ name }) => name), ...placement.map(({ seat }) => seat.host)];
  return names.some((name) => name.toLowerCase().includes(wanted));
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
