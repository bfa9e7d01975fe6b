/** How many hosts of a plan are ordered together: the first that fails stops the operation before the next batch. */

import type { ReactNode } from "react";
import { Segmented } from "@/ui/segmented";

const ALL = "all";

/** Nothing to choose where the plan touches one host. */
export function HostsAtOnce(props: {
  hosts: number;
  value: number | null;
  onChange: (hosts: number | null) => void;
}): ReactNode {
  const { hosts, value, onChange } = props;
  if (hosts < 2) return null;
  return (
    <div className="hosts-at-once">
      <span className="t2">Hosts at once</span>
      <Segmented<string>
        label="Hosts at once"
        value={value === null ? ALL : String(value)}
        options={[ALL, ...batchesOf(hosts).map(String)].map((key) => ({ key, text: key }))}
        onChange={(key) => onChange(key === ALL ? null : Number(key))}
      />
    </div>
  );
}

/** Sizes that make more than one batch. */
export function batchesOf(hosts: number): number[] {
  return [1, 5, 25].filter((size) => size < hosts);
}
