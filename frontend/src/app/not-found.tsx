import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function NotFound(): ReactNode {
  return (
    <main className="page" id="page">
      <div className="empty">
        <p>
          No page at <code className="command">{location.pathname}</code>. It may have been typed by hand, or the chain,
          plan or operation is gone.
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
