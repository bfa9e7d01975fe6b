/** The side column of a page. It scrolls, so it takes the focus: a keyboard can scroll it too. */

import type { ReactNode } from "react";

export function Side({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <aside aria-label={label} tabIndex={0}>
      {children}
    </aside>
  );
}
