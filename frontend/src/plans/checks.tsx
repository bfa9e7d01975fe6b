/** What the independent checker looked at: what does not hold first. */

import { type ReactNode, useMemo } from "react";
import type { PlanBody } from "@/api/types";
import { count, thousands } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";

export function ChecksSection({ body }: { body: PlanBody }): ReactNode {
  const findings = useMemo(() => [...body.checks].sort((a, b) => Number(a.ok) - Number(b.ok)), [body]);
  const pages = usePages(findings, 24);
  const held = findings.filter(({ ok }) => ok).length;
  return (
    <Section title="Checks" note={`${thousands(held)} of ${count(findings.length, "check")} hold`} padded>
      <ul className="checks">
        {pages.shown.map((finding) => (
          <li key={`${finding.check} ${finding.detail}`} className={finding.ok ? "" : "bad"}>
            <Shape name={finding.ok ? "ok" : "bad"} />
            <span>
              {finding.check} <span className={finding.ok ? "t3" : ""}>{finding.detail}</span>
            </span>
          </li>
        ))}
      </ul>
      <Pager pages={pages} one="check" />
    </Section>
  );
}
