/** Within which the chain's hosts divide shared cores by themselves; both fields empty: they leave CPU shares alone. */

import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { useCannot } from "@/capabilities/use-cannot";
import { Field } from "@/ui/field";
import { Segmented } from "@/ui/segmented";
import {
  BOUNDS,
  type Edits,
  LEAST_SHARE,
  MOST_SHARE,
  QUEUE_MATCHING,
  SHARE_LAW,
  type ShareLaw,
  shownText,
} from "./adjust";

const HOW: Readonly<Record<ShareLaw, string>> = {
  "queue-matching": "what arrives for them (CoCo)",
  "rate-cost": "what arrives and the median of what packets cost each (sfc2cpu)",
};

export function ShareBoundsFields(props: {
  chain: ChainView;
  edits: Edits;
  onEdit: (path: string, text: string) => void;
  message: (path: string) => string | undefined;
}): ReactNode {
  const { chain, edits, onEdit, message } = props;
  const cannot = useCannot(chain, "cpu-share");
  // Bounds that it has already can be taken away all the same.
  const blocked = chain.spec.share_bounds ? null : cannot;
  const tooOld = useCannot(chain, "rate-cost-shares");
  const law = shownText(chain.spec, edits, SHARE_LAW) as ShareLaw;
  const field = (path: string, label: string, placeholder: string) => (
    <Field
      label={label}
      unit="%"
      inputMode="numeric"
      placeholder={placeholder}
      value={shownText(chain.spec, edits, path)}
      onChange={(text) => onEdit(path, text)}
      error={message(path)}
      disabled={blocked !== null}
    />
  );
  return (
    <fieldset className="share-bounds">
      <legend title="Of its core, that each NF of the chain has whenever it wants it, and is given at most while others want the rest">
        Share bounds
      </legend>
      {field(LEAST_SHARE, "Least", "none")}
      {field(MOST_SHARE, "Most", "none")}
      {blocked === null && (
        <Segmented
          label="Divided by"
          value={law}
          options={[
            { key: QUEUE_MATCHING, text: "Queue matching" },
            { key: "rate-cost", text: "Rate × cost", disabled: tooOld !== null && law === QUEUE_MATCHING },
          ]}
          onChange={(key) => onEdit(SHARE_LAW, key)}
        />
      )}
      {blocked && <p className="message t3">Not on {blocked}</p>}
      {(message(SHARE_LAW) ?? message(BOUNDS)) && (
        <p className="message bad">{message(SHARE_LAW) ?? message(BOUNDS)}</p>
      )}
      {!blocked && (
        <p className="message t3">
          With both, the host sets CPU shares of its NFs ten times a second, on cores whose NFs all have such bounds: by{" "}
          {HOW[law]}.{tooOld && ` Rate × cost: not on ${tooOld}.`}
        </p>
      )}
    </fieldset>
  );
}
