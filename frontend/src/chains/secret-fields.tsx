/** Secrets of an NF: written here or made here, sent to the console, and never shown again. */

import { type ReactNode, useState } from "react";
import type { NfType } from "@/api/types";
import { generated, isReference, type Property, propertiesOf, secretSettings, settingOf } from "@/nf-types/config";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import type { DraftNf } from "./draft";

interface SecretProps {
  nf: DraftNf;
  type: NfType;
  /** What is wrong with a field of the NF, by its path in it: `config.key`. */
  at: (field: string) => string[];
  onChange: (nf: DraftNf) => void;
}

export function SecretFields({ nf, type, at, onChange }: SecretProps): ReactNode {
  const properties = propertiesOf(type);
  return secretSettings(type).map((name) => (
    <SecretField
      key={name}
      name={name}
      property={properties[name] ?? {}}
      value={nf.secrets?.[name] ?? ""}
      isSet={isReference(settingOf(nf.config, name))}
      error={at(`config.${name}`)[0]}
      onChange={(value) => onChange({ ...nf, secrets: { ...nf.secrets, [name]: value } })}
    />
  ));
}

function SecretField(props: {
  name: string;
  property: Property;
  value: string;
  /** The configuration names one that the console has. */
  isSet: boolean;
  error: string | undefined;
  onChange: (value: string) => void;
}): ReactNode {
  const { name, property, value, isSet, onChange } = props;
  const [shown, setShown] = useState(false);
  const make = generated(property) === null ? null : () => onChange(generated(property) ?? "");
  return (
    <div className="secret-field">
      <Field
        label={`${name} (secret)`}
        value={value}
        onChange={onChange}
        type={shown ? "text" : "password"}
        autoComplete="new-password"
        placeholder={isSet ? "set, not shown" : "none"}
        hint={
          isSet
            ? "set, not shown; leave it empty to keep it"
            : "sent to the host only and never shown again; not stored in this tab"
        }
        error={props.error}
      />
      <div className="row-actions nf-actions">
        {make && (
          <Button small onClick={make}>
            Generate {name}
          </Button>
        )}
        <Button small onClick={() => setShown(!shown)} reason={value === "" ? "The field is empty." : null}>
          {shown ? `Hide ${name}` : `Show ${name}`}
        </Button>
      </div>
    </div>
  );
}
