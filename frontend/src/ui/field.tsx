/** A labelled text field with its unit and, beside it, what is wrong with it. */

import type { ReactNode } from "react";
import { FieldError, Input, Label, Text, TextArea, TextField } from "react-aria-components";

export interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong, in words; undefined where nothing is. */
  error?: string | undefined;
  hint?: string | undefined;
  unit?: string | undefined;
  type?: "text" | "password";
  inputMode?: "text" | "decimal" | "numeric";
  placeholder?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  rows?: number;
  name?: string;
  disabled?: boolean;
}

export function Field(props: FieldProps): ReactNode {
  const { label, value, onChange, error, hint, unit, rows } = props;
  return (
    <TextField
      className="field"
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      isDisabled={props.disabled ?? false}
      {...(props.name ? { name: props.name } : {})}
      {...(props.type ? { type: props.type } : {})}
      {...(props.inputMode ? { inputMode: props.inputMode } : {})}
      {...(props.autoComplete ? { autoComplete: props.autoComplete } : {})}
      {...(props.autoFocus ? { autoFocus: true } : {})}
    >
      <Label>{label}</Label>
      <div className="control">
        {rows ? (
          <TextArea className="input" rows={rows} spellCheck={false} />
        ) : (
          <Input className="input" placeholder={props.placeholder ?? ""} spellCheck={false} />
        )}
        {unit && <span className="unit">{unit}</span>}
      </div>
      {hint && error === undefined && (
        <Text slot="description" className="message">
          {hint}
        </Text>
      )}
      <FieldError className="message bad">{error}</FieldError>
    </TextField>
  );
}
