/** From a point of a chart to the fleet as it was then. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function FleetThen({ at }: { at: number }): ReactNode {
  return (
    <Link to="/" search={{ at: new Date(at * 1000).toISOString() }}>
      The fleet then
    </Link>
  );
}
