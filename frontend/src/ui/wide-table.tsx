/** A table that may be wider than its place scrolls in it, by keyboard, too. */

import type { ReactNode } from "react";

/** `label`: of the table. */
export function WideTable({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="wide-table" aria-label={`${label}, scrolls sideways`} tabIndex={0}>
      {children}
    </section>
  );
}
