/** What the console does for operators: operations on chains, and profiling. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function WorkTabs(): ReactNode {
  return (
    <nav className="tabs" aria-label="Kinds of work">
      <Link to="/operations" activeOptions={{ exact: true, includeSearch: false }}>
        Operations
      </Link>
      <Link to="/profiling" activeOptions={{ exact: true, includeSearch: false }}>
        Profiling
      </Link>
    </nav>
  );
}
