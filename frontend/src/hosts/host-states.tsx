/** A host without chains, one whose agent never reported, and one that is not there. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Claim } from "@/live/claim";
import { PageTitle } from "@/ui/page-title";

export function Empty({ host }: { host: string }): ReactNode {
  return (
    <p className="section-body t2">
      <Claim>No chain runs on {host}: all slots are free.</Claim> <Link to="/chains/new">Submit one</Link>, or run{" "}
      <code className="command">sextant chains submit examples/chains/edge.yaml --apply --wait</code>.
    </p>
  );
}

export function NeverReported({ id }: { id: string }): ReactNode {
  return (
    <p className="empty">
      {id} is enrolled, but its agent has never reported, so its nodes and cores are unknown. Start the agent there and
      check its log; <code className="command">systemctl status sextant-agent</code>, or in a clone{" "}
      <code className="command">make status</code>, says whether it runs.
    </p>
  );
}

export function Missing({ id }: { id: string }): ReactNode {
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle path={<Link to="/">Fleet</Link>} name={id} />
      <div className="empty">
        <p>
          <Claim>
            There is no host <code className="command">{id}</code>.
          </Claim>{" "}
          Check the spelling, or enrol it first. <code className="command">sextant hosts</code> lists the enrolled
          hosts.
        </p>
        <div className="actions">
          <Link className="btn" to="/">
            Go to the fleet
          </Link>
        </div>
      </div>
    </main>
  );
}
