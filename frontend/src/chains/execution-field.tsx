/** How a chain's NFs become processes: the same choice in the new-chain form and in the adjust panel. */

import type { ReactNode } from "react";
import { Segmented } from "@/ui/segmented";
import type { Execution } from "./adjust";

export function ExecutionField(props: {
  value: Execution;
  onChange: (value: Execution) => void;
  error: string | undefined;
}): ReactNode {
  return (
    <div className="field">
      <span className="t2">Execution</span>
      <Segmented
        label="Execution"
        value={props.value}
        options={[
          { key: "isolated", text: "Isolated" },
          { key: "run-to-completion", text: "Run to completion" },
        ]}
        onChange={props.onChange}
      />
      {props.error && <span className="message bad">{props.error}</span>}
    </div>
  );
}
