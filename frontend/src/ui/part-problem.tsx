/** A part of a page that cannot be shown: cause and next step in its place; the rest of the page works. */

import type { ReactNode } from "react";
import type { ProblemView } from "./problem-note";

export function PartProblem({ problem }: { problem: ProblemView }): ReactNode {
  return (
    <div className="section-body">
      <p>
        {problem.title}. <span className="t2">{problem.detail}</span>
      </p>
      {(problem.next_actions ?? []).map(({ label, command }) => (
        <p key={label} className="t2">
          {label} {command && <code className="command">{command}</code>}
        </p>
      ))}
    </div>
  );
}
