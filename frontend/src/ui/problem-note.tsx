/** A problem in the page, beside what caused it: headline, cause, fields, next step, request. Never a toast. */

import type { ReactNode } from "react";
import { CopyButton } from "./copy-button";

/** What of a problem is shown (RFC 9457, with fields and next steps). All of it is copied. */
export interface ProblemView {
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly next_actions?: readonly { readonly label: string; readonly command?: string | null }[];
  readonly request_id?: string | null;
}

export function ProblemNote(props: { problem: ProblemView; onDismiss?: () => void; children?: ReactNode }): ReactNode {
  const { problem } = props;
  const errors = problem.errors ?? [];
  const next = problem.next_actions ?? [];
  return (
    <div className="problem" role="alert">
      <h3>{problem.title}</h3>
      <dl>
        <dt>Cause</dt>
        <dd>{problem.detail}</dd>
        {errors.length > 0 && <dt>Fields</dt>}
        {errors.map((error) => (
          <dd key={`${error.field} ${error.message}`} style={{ gridColumn: 2 }}>
            <span className="mono">{error.field}</span> {error.message}
          </dd>
        ))}
        {next.length > 0 && <dt>Next step</dt>}
        {next.map((action) => (
          <dd key={action.label} style={{ gridColumn: 2 }}>
            {action.label} {action.command && <code className="command">{action.command}</code>}
          </dd>
        ))}
        {problem.request_id && (
          <>
            <dt>Request</dt>
            <dd className="mono">{problem.request_id}</dd>
          </>
        )}
      </dl>
      {props.children}
      <div style={{ display: "flex", gap: 8, marginTop: 6 }}>
        <CopyButton text={JSON.stringify(problem, null, 2)} label="Copy" />
        {props.onDismiss && (
          <button type="button" className="btn quiet small" onClick={props.onDismiss}>
            Dismiss
          </button>
        )}
      </div>
    </div>
  );
}
