/** What the independent checker looked at: one line where all of it holds, else what does not hold first. */

import { type ReactNode, useMemo } from "react";
import type { PlanBody } from "@/api/types";
import { count, thousands } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { Pager, type Pages, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";

export function ChecksSection({ body }: { body: PlanBody }): ReactNode {
  const findings = useMemo(() => [...body.checks].sort((a, b) => Number(a.ok) - Number(b.ok)), [body]);
  const pages = usePages(findings, 24);
  const held = findings.filter(({ ok }) => ok).length;
  if (held === findings.length) {
    return (
      <Section title="Checks" padded>
        <details className="more">
          <summary>
            <Shape name="ok" />
            {findings.length === 1 ? "the check holds" : `all ${thousands(held)} checks hold`}
          </summary>
          <Findings pages={pages} />
        </details>
      </Section>
    );
  }
  return (
    <Section title="Checks" note={`${thousands(held)} of ${count(findings.length, "check")} hold`} padded>
      <Findings pages={pages} />
    </Section>
  );
}

function Findings({ pages }: { pages: Pages<PlanBody["checks"][number]> }): ReactNode {
  return (
    <>
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
    </>
  );
}
