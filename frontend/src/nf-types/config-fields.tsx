/** Editing a configuration: its JSON, a picker for each file that it may name, and what the schema allows. */

import type { ReactNode } from "react";
import type { FieldError, NfType } from "@/api/types";
import { ArtefactSetting } from "@/artefacts/artefact-setting";
import { kindOfSetting } from "@/artefacts/files";
import { Field } from "@/ui/field";
import { type Property, propertiesOf, settingOf, withSetting } from "./config";

export function ConfigFields(props: {
  config: string;
  /** Its schema and files; undefined while the catalogue is not known. */
  type: NfType | undefined;
  /** Path of the configuration in the body: `nfs.1.config`. */
  at: string;
  errors: readonly FieldError[];
  onChange: (config: string) => void;
}): ReactNode {
  const { config, type, at, errors, onChange } = props;
  const files = (type?.artefacts ?? []).map(({ name }) => `${at}.${name}`);
  const own = errors.filter(
    ({ field }) => (field === at || field.startsWith(`${at}.`)) && !(files.includes(field) && isReadable(config)),
  );
  return (
    <>
      <Field
        label="Configuration"
        value={config}
        onChange={onChange}
        rows={8}
        hint="JSON with the values that differ from the defaults; empty for the defaults"
        error={own.length > 0 ? own.map((error) => errorText(error, at)).join("\n") : undefined}
      />
      {type && <Files {...props} type={type} />}
    </>
  );
}

/** Files that the type takes, each with its picker; the configuration above says the same as JSON. */
function Files(props: {
  config: string;
  type: NfType;
  at: string;
  errors: readonly FieldError[];
  onChange: (config: string) => void;
}): ReactNode {
  const { config, type, at, errors, onChange } = props;
  const files = type.artefacts.flatMap((setting) => {
    const kind = kindOfSetting(setting.name);
    return kind ? [{ setting, kind }] : [];
  });
  if (files.length > 0 && !isReadable(config)) {
    return <p className="message t3">Files can be chosen once the configuration is a JSON object.</p>;
  }
  return files.map(({ setting, kind }) => {
    const value = settingOf(config, setting.name);
    return (
      <ArtefactSetting
        key={setting.name}
        setting={setting}
        kind={kind}
        value={typeof value === "string" ? value : null}
        errors={errors.flatMap(({ field, message }) => (field === `${at}.${setting.name}` ? [message] : []))}
        onChange={(digest) => onChange(withSetting(config, setting.name, digest))}
      />
    );
  });
}

function isReadable(config: string): boolean {
  return settingOf(config, "") !== undefined;
}

/** "rules.0.action: ..." below the configuration's own path. */
function errorText(error: FieldError, at: string): string {
  const inside = error.field.slice(at.length).replace(/^\./, "");
  return inside ? `${inside}: ${error.message}` : error.message;
}

/** What may be set, from the type's schema. */
export function ConfigOptions({ type }: { type: NfType }): ReactNode {
  return (
    <table className="options" aria-label={`Options of ${type.name}`}>
      <thead>
        <tr>
          <th scope="col">Option</th>
          <th scope="col">Default</th>
          <th scope="col">Allowed</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(propertiesOf(type)).map(([name, property]) => (
          <tr key={name}>
            <td>
              <span className="mono">{name}</span>
              {property.description && <div className="t3">{property.description}</div>}
            </td>
            <td className="mono">{JSON.stringify(property.default)}</td>
            <td className="t2">{kindOfSetting(name) ? `artefact: ${kindOfSetting(name)}` : allowed(property)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function allowed(property: Property): string {
  if (property.enum) return property.enum.join(", ");
  const types = [property.type ?? "any"].flat().map((type) => (type === "array" ? "list" : type));
  const kind = types.join(" or ");
  if (property.minimum === undefined) return kind;
  return property.maximum === undefined
    ? `${kind}, at least ${property.minimum}`
    : `${property.minimum}–${property.maximum}`;
}
