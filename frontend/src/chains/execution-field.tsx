/** How a chain's NFs become processes: the same choice in the new-chain form and in the adjust panel. */

import type { ReactNode } from "react";
import { Segmented } from "@/ui/segmented";
import type { Execution } from "./adjust";

export function ExecutionField(props: {
  value: Execution;
  onChange: (value: Execution) => void;
  error: string | undefined;
  /** Why NFs cannot share a process where the chain runs. */
  blocked?: string | null;
}): ReactNode {
  const blocked = props.value === "isolated" ? props.blocked : null;
  return (
    <div className="field">
      <span className="t2">Execution</span>
      <Segmented
        label="Execution"
        value={props.value}
        options={[
          { key: "isolated", text: "Isolated" },
          { key: "run-to-completion", text: "Run to completion", disabled: Boolean(blocked) },
        ]}
        onChange={props.onChange}
      />
      {blocked && <span className="message t3">Not on {blocked}</span>}
      {props.error && <span className="message bad">{props.error}</span>}
    </div>
  );
}
