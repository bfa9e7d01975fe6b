/** Within which the chain's hosts divide shared cores by themselves; both fields empty: they leave CPU shares alone. */

import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { useCannot } from "@/capabilities/use-cannot";
import { Field } from "@/ui/field";
import { BOUNDS, type Edits, LEAST_SHARE, MOST_SHARE, shownText } from "./adjust";

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
      {blocked && <p className="message t3">Not on {blocked}</p>}
      {message(BOUNDS) && <p className="message bad">{message(BOUNDS)}</p>}
      {!blocked && (
        <p className="message t3">
          With both, the host sets CPU shares of its NFs ten times a second by what arrives for them, on cores whose NFs
          all have such bounds.
        </p>
      )}
    </fieldset>
  );
}
