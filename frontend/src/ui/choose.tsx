/** A name among many: a list where it is short, a field that completes where a list would be a scroll. */

import { type ReactNode, useId, useState } from "react";
import { type Choice, Picker } from "./select";

/** More choices than a person reads through. */
const LISTED = 40;
/** What a browser's completion shows at most; typing narrows it. */
const COMPLETED = 500;

export function Choose(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (key: string) => void;
}): ReactNode {
  if (props.choices.length <= LISTED) return <Picker {...props} />;
  return <Completed key={props.value} {...props} />;
}

function Completed(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChange: (key: string) => void;
}): ReactNode {
  const { label, value, choices, onChange } = props;
  const [text, setText] = useState(() => choices.find(({ key }) => key === value)?.text ?? value);
  const [id, list] = [useId(), useId()];
  const known = (typed: string) => choices.find((choice) => choice.text === typed && !choice.disabled);
  const wanted = text.trim().toLowerCase();
  const near = choices.filter((choice) => choice.text.toLowerCase().includes(wanted));
  const wrong = known(text) === undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        list={list}
        autoComplete="off"
        value={text}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-message` : undefined}
        onChange={(event) => {
          setText(event.target.value);
          const choice = known(event.target.value);
          if (choice && choice.key !== value) onChange(choice.key);
        }}
      />
      <datalist id={list}>
        {near.slice(0, COMPLETED).map((choice) => (
          <option key={choice.key} value={choice.text} />
        ))}
      </datalist>
      {wrong && (
        <span id={`${id}-message`} className="message bad">
          {near.length} of {choices.length} names contain that
        </span>
      )}
    </div>
  );
}
