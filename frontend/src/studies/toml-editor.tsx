/** A text in lines with their numbers; the line that a refusal is about is marked, and can be gone to. */

import { type ReactNode, useRef } from "react";
import { FieldError, Label, Text, TextArea, TextField } from "react-aria-components";
import { Button } from "@/ui/button";

export function TomlEditor(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint: string;
  /** What is wrong, in words, and in which line if that is known. */
  errors: readonly { text: string; line: number | null }[];
}): ReactNode {
  const { value, errors } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLOListElement>(null);
  const bad = new Set(errors.map(({ line }) => line));
  const lines = value.split("\n").length;
  return (
    <TextField
      className="toml-editor"
      value={value}
      onChange={props.onChange}
      isInvalid={errors.length > 0}
      validationBehavior="aria"
    >
      <Label className="hidden-text">{props.label}</Label>
      <div className="toml-lines">
        <ol ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <li key={index} className={bad.has(index + 1) ? "bad" : ""}>
              {index + 1}
            </li>
          ))}
        </ol>
        <TextArea
          ref={area}
          className="input"
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      {errors.length === 0 && (
        <Text slot="description" className="message t3">
          {props.hint}
        </Text>
      )}
      <FieldError className="message bad">
        {errors.map(({ text, line }) => (
          <span key={text} className="toml-error">
            {text}
            {line !== null && (
              <Button small onClick={() => area.current && goTo(area.current, line)}>
                Go to line {line}
              </Button>
            )}
          </span>
        ))}
      </FieldError>
    </TextField>
  );
}

/** Selects the line and brings it into sight. */
function goTo(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
}
