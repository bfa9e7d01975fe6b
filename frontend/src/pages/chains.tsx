/** Chains: every chain, live; violated ones first. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ChainsTable, chainsInOrder } from "@/chains/chains-table";
import { isViolated } from "@/fleet/violations";
import { count, thousands } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive } from "@/live/store";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";

/** More rows at once make a page slow; the line above the table says how many there are. */
const MOST = 300;

export function ChainsPage(): ReactNode {
  const chains = useLive((state) => state.chains);
  const [find, setFind] = useState("");
  const all = chainsInOrder(chains.values());
  const wanted = find.trim().toLowerCase();
  const found = wanted ? all.filter(({ spec }) => spec.name.includes(wanted)) : all;
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
            {all.length > 12 && (
              <input
                className="input"
                type="search"
                aria-label="Show only chains whose name contains"
                placeholder="name"
                value={find}
                onChange={(event) => setFind(event.target.value)}
              />
            )}
            <Link className="btn primary" to="/chains/new">
              New chain <kbd>N</kbd>
            </Link>
          </>
        }
      />
      {found.length > MOST && (
        <p className="empty">
          {MOST} of {count(found.length, "chain")} shown. Type part of a name to see others.
        </p>
      )}
      {found.length > 0 && <ChainsTable chains={found.slice(0, MOST)} />}
      {found.length === 0 && <NoChains filtered={wanted !== ""} />}
    </main>
  );
}

function NoChains({ filtered }: { filtered: boolean }): ReactNode {
  if (filtered) return <p className="empty">No chain's name contains that text.</p>;
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
