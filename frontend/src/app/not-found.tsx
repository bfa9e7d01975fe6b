import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageTitle } from "@/ui/page-title";

export function NotFound(): ReactNode {
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle name="No such page" />
      <div className="empty">
        <p>
          No page at <code className="command">{location.pathname}</code>. Check the address; the chain, plan or
          operation may have been deleted.
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
