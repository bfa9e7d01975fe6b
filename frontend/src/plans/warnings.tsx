/** What the engine wants read before the plan is applied. */

import type { ReactNode } from "react";
import { Shape } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";

export function WarningsSection({ warnings }: { warnings: readonly string[] }): ReactNode {
  const pages = usePages(warnings, 12);
  if (warnings.length === 0) return null;
  return (
    <Section title="Warnings" note={warnings.length} padded>
      <ul>
        {pages.shown.map((warning) => (
          <li key={warning}>
            <Shape name="warn" />
            {warning}
          </li>
        ))}
      </ul>
      <Pager pages={pages} one="warning" />
    </Section>
  );
}
