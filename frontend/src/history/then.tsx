/** From a point of a chart to the page as it was then, and to the fleet. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function Then(props: { at: number; what: string; onAt: (at: string) => void }): ReactNode {
  const at = new Date(props.at * 1000).toISOString();
  return (
    <>
      <button type="button" className="link" onClick={() => props.onAt(at)}>
        {props.what}
      </button>
      <Link to="/" search={{ at }}>
        The fleet then
      </Link>
    </>
  );
}
