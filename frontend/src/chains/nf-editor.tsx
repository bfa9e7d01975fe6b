/** One NF of the chain: its name, its configuration as JSON, its CPU, and what the type's schema allows. */

import type { ReactNode } from "react";
import type { FieldError, NfType } from "@/api/types";
import { ArtefactSetting } from "@/artefacts/artefact-setting";
import { kindOfSetting } from "@/artefacts/files";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { type DraftNf, settingOf, withSetting } from "./draft";

export function NfEditor(props: {
  nf: DraftNf;
  index: number;
  count: number;
  type: NfType | undefined;
  errors: readonly FieldError[];
  onChange: (nf: DraftNf) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}): ReactNode {
  const { nf, index, type, errors } = props;
  const at = (field: string) =>
    errors.filter((error) => error.field === `nfs.${index}.${field}`).map(({ message }) => message);
  const files = (type?.artefacts ?? []).map(({ name }) => `nfs.${index}.config.${name}`);
  const config = errors.filter(
    ({ field }) => field.startsWith(`nfs.${index}.config`) && !(files.includes(field) && isReadable(nf)),
  );
  return (
    <div className="nf-editor">
      <div className="nf-fields">
        <Field
          label="Name"
          value={nf.name}
          onChange={(name) => props.onChange({ ...nf, name })}
          error={at("name")[0] ?? at("type")[0]}
        />
        <Field
          label="Configuration"
          value={nf.config}
          onChange={(text) => props.onChange({ ...nf, config: text })}
          rows={8}
          hint="JSON of what differs from the defaults; empty for the defaults"
          error={config.length > 0 ? config.map((error) => configText(error, index)).join("\n") : undefined}
        />
        {type && <Files {...props} type={type} />}
        <Field
          label="CPU share"
          value={nf.cpuShare}
          onChange={(cpuShare) => props.onChange({ ...nf, cpuShare })}
          unit="weight"
          placeholder="100"
          inputMode="numeric"
          hint="against whatever else wants its core; empty: 100"
          error={at("cpu_share")[0]}
        />
        <Field
          label="CPU quota"
          value={nf.cpuQuota}
          onChange={(cpuQuota) => props.onChange({ ...nf, cpuQuota })}
          unit="% of its core"
          placeholder="all"
          inputMode="decimal"
          hint="the most it may use, whoever else wants it; empty: all"
          error={at("cpu_quota_percent")[0]}
        />
        <div className="row-actions nf-actions">
          <Button
            small
            onClick={() => props.onMove(-1)}
            reason={index === 0 ? "It is the first." : null}
            reasonSide="below-left"
          >
            Move back
          </Button>
          <Button
            small
            onClick={() => props.onMove(1)}
            reason={index === props.count - 1 ? "It is the last." : null}
            reasonSide="below-left"
          >
            Move on
          </Button>
          <Button small look="danger" onClick={props.onRemove}>
            Remove {nf.name || "this NF"}
          </Button>
        </div>
      </div>
      {type && <Options type={type} />}
    </div>
  );
}

/** Files that the type takes, each with its picker; the configuration above says the same as JSON. */
function Files(props: {
  nf: DraftNf;
  index: number;
  type: NfType;
  errors: readonly FieldError[];
  onChange: (nf: DraftNf) => void;
}): ReactNode {
  const { nf, index, type, errors, onChange } = props;
  const files = (type.artefacts ?? []).flatMap((setting) => {
    const kind = kindOfSetting(setting.name);
    return kind ? [{ setting, kind }] : [];
  });
  if (files.length > 0 && !isReadable(nf)) {
    return <p className="message t3">Files can be chosen once the configuration is a JSON object.</p>;
  }
  return files.map(({ setting, kind }) => {
    const value = settingOf(nf.config, setting.name);
    return (
      <ArtefactSetting
        key={setting.name}
        setting={setting}
        kind={kind}
        value={typeof value === "string" ? value : null}
        errors={errors.flatMap(({ field, message }) =>
          field === `nfs.${index}.config.${setting.name}` ? [message] : [],
        )}
        onChange={(digest) => onChange({ ...nf, config: withSetting(nf.config, setting.name, digest) })}
      />
    );
  });
}

function isReadable(nf: DraftNf): boolean {
  return settingOf(nf.config, "") !== undefined;
}

/** "rules.0.action: ..." below the configuration's own path. */
function configText(error: FieldError, index: number): string {
  const inside = error.field.slice(`nfs.${index}.config`.length).replace(/^\./, "");
  return inside ? `${inside}: ${error.message}` : error.message;
}

interface Property {
  type?: string | string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  description?: string;
}

/** What may be set, from the type's schema. */
function Options({ type }: { type: NfType }): ReactNode {
  const properties = (type.config_schema as { properties?: Record<string, Property> }).properties ?? {};
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
        {Object.entries(properties).map(([name, property]) => (
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
