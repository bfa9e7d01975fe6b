/** Whose figures a page's history shows. */

import type { ReactNode } from "react";

export interface SubjectGroup {
  readonly label: string;
  readonly options: readonly { readonly key: string; readonly text: string }[];
}

export function SubjectChoice(props: {
  /** What the page itself is: "all chains of sim-1". */
  own: string;
  groups: readonly SubjectGroup[];
  value: string | undefined;
  onChange: (of: string | undefined) => void;
}): ReactNode {
  const { value, groups } = props;
  const known = groups.some(({ options }) => options.some(({ key }) => key === value));
  return (
    <label>
      of
      <select
        className="input"
        aria-label="Figures of"
        value={value ?? ""}
        onChange={(event) => props.onChange(event.target.value || undefined)}
      >
        <option value="">{props.own}</option>
        {value && !known && <option value={value}>{value.slice(value.indexOf("-") + 1)}</option>}
        {groups.map(({ label, options }) => (
          <optgroup key={label} label={label}>
            {options.map(({ key, text }) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
