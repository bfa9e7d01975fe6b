/** The anti-affinity group of a chain: the same two fields in the new-chain form and on the chain's page. */

import type { ReactNode } from "react";
import type { Scope } from "@/fleet/anti-affinity";
import { Field } from "@/ui/field";
import { Segmented } from "@/ui/segmented";

export function GroupFields(props: {
  group: string;
  scope: Scope;
  onChange: (part: { group?: string; scope?: Scope }) => void;
  error: string | undefined;
  autoFocus?: boolean;
}): ReactNode {
  const { group, scope, onChange, error, autoFocus = false } = props;
  return (
    <>
      <Field
        label="Group"
        value={group}
        onChange={(name) => onChange({ group: name })}
        error={error}
        hint="any name; empty: it may stand with every chain"
        autoFocus={autoFocus}
      />
      <div className="field">
        <span className="t2">Must not share</span>
        <Segmented
          label="Must not share"
          value={scope}
          options={[
            { key: "host", text: "A host" },
            { key: "node", text: "A NUMA node" },
          ]}
          onChange={(next) => onChange({ scope: next })}
        />
      </div>
      <p className="message t3">
        Chains of one group never stand together, such as replicas of each other. A chain that finds no place apart gets
        none. Two chains share a host only where both name the node.
      </p>
    </>
  );
}
