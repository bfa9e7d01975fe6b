/** A choice of one among few, always visible. */

import type { ReactNode } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";

export function Segmented<K extends string>(props: {
  label: string;
  value: K;
  options: readonly { key: K; text: string; hint?: string; disabled?: boolean }[];
  onChange: (key: K) => void;
}): ReactNode {
  return (
    <ToggleButtonGroup
      className="segmented"
      aria-label={props.label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[props.value]}
      onSelectionChange={(keys) => {
        const key = props.options.find((option) => keys.has(option.key))?.key;
        if (key !== undefined) props.onChange(key);
      }}
    >
      {props.options.map((option) => (
        <ToggleButton key={option.key} id={option.key} isDisabled={option.disabled ?? false}>
          {option.text}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
