/** A choice of one among many; what cannot be chosen is shown with the reason. */

import type { ReactNode } from "react";
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";

export interface Choice {
  readonly key: string;
  readonly text: string;
  /** Second column: what distinguishes it, or why it cannot be chosen. */
  readonly note?: string;
  readonly disabled?: boolean;
}

export function Picker(props: {
  label: string;
  value: string | null;
  choices: readonly Choice[];
  onChange: (key: string) => void;
  placeholder?: string;
}): ReactNode {
  return (
    <Select
      className="field"
      value={props.value}
      onChange={(key) => {
        if (key !== null) props.onChange(String(key));
      }}
      placeholder={props.placeholder ?? "choose"}
    >
      <Label>{props.label}</Label>
      <Button className="picker">
        {/* The text alone: the second column is for choosing. */}
        <SelectValue>{({ selectedText, defaultChildren }) => selectedText || defaultChildren}</SelectValue>
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox>
          {props.choices.map((choice) => (
            <ListBoxItem
              key={choice.key}
              id={choice.key}
              textValue={choice.text}
              className="option"
              isDisabled={choice.disabled ?? false}
            >
              <span>{choice.text}</span>
              {choice.note && <span className="t3">{choice.note}</span>}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
