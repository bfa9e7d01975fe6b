/** Within which the chain's hosts set CPU quotas, LLC ways and memory bandwidth by themselves; all fields empty: they
 * leave them alone. */

import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { useCannot } from "@/capabilities/use-cannot";
import { Field } from "@/ui/field";
import { type Edits, shownText } from "./adjust";
import { LEAST_BANDWIDTH, LEAST_QUOTA, LEAST_WAYS, MAX_P95, MOST_QUOTA, MOST_WAYS, QUOTA_BOUNDS } from "./quota-bounds";

export function QuotaBoundsFields(props: {
  chain: ChainView;
  edits: Edits;
  onEdit: (path: string, text: string) => void;
  message: (path: string) => string | undefined;
}): ReactNode {
  const { chain, edits, onEdit, message } = props;
  const cannot = useCannot(chain, "quota-bounds");
  // Bounds that it has already can be taken away all the same.
  const blocked = chain.spec.quota_bounds ? null : cannot;
  const lacks = [
    { what: "LLC ways", host: useCannot(chain, "resctrl-cat") },
    { what: "memory bandwidth", host: useCannot(chain, "resctrl-mba") },
  ].filter(({ host }) => host !== null);
  const field = (path: string, label: string, unit: string) => (
    <Field
      label={label}
      unit={unit}
      inputMode="numeric"
      placeholder="none"
      value={shownText(chain.spec, edits, path)}
      onChange={(text) => onEdit(path, text)}
      error={message(path)}
      disabled={blocked !== null}
    />
  );
  return (
    <fieldset className="share-bounds">
      <legend title="The 95th percentile of the time that each NF may have a packet, and the part of its core that it may use for that">
        Quota bounds
      </legend>
      {field(MAX_P95, "p95 in each NF", "µs")}
      {field(LEAST_QUOTA, "Least quota", "%")}
      {field(MOST_QUOTA, "Most quota", "%")}
      {field(LEAST_WAYS, "Least LLC ways", "ways")}
      {field(MOST_WAYS, "Most LLC ways", "ways")}
      {field(LEAST_BANDWIDTH, "Least bandwidth", "%")}
      {blocked && <p className="message t3">Not on {blocked}</p>}
      {message(QUOTA_BOUNDS) && <p className="message bad">{message(QUOTA_BOUNDS)}</p>}
      {!blocked && (
        <p className="message t3">
          With the first three, the host sets CPU quotas of its NFs by itself, in tens of milliseconds, by how long
          packets say that each NF had them. With the others, LLC ways of their own and memory bandwidth, too: an NF
          shares ways until it needs some, and is limited down to the least bandwidth while it needs no more.
        </p>
      )}
      {!blocked &&
        lacks.map(({ what, host }) => (
          <p key={what} className="message t3">
            No {what} on {host}
          </p>
        ))}
    </fieldset>
  );
}
