/** One NF of the chain: its name, its configuration as JSON, its CPU, and what the type's schema allows. */

import type { ReactNode } from "react";
import type { FieldError, NfType } from "@/api/types";
import { useHostNames } from "@/live/host-names";
import { secretSettings } from "@/nf-types/config";
import { ConfigFields, ConfigOptions } from "@/nf-types/config-fields";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { Field } from "@/ui/field";
import type { DraftNf } from "./draft";
import { SecretFields } from "./secret-fields";

/** No host has this name. */
const SAME_HOST = "-";

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
  const hosts = useHostNames();
  const secrets = type ? secretSettings(type).map((name) => `nfs.${index}.config.${name}`) : [];
  return (
    <div className="nf-editor">
      <div className="nf-fields">
        <Field
          label="Name"
          value={nf.name}
          onChange={(name) => props.onChange({ ...nf, name })}
          error={at("name")[0] ?? at("type")[0]}
        />
        <ConfigFields
          config={nf.config}
          type={type}
          at={`nfs.${index}.config`}
          errors={errors.filter(({ field }) => !secrets.includes(field))}
          onChange={(config) => props.onChange({ ...nf, config })}
        />
        {type && <SecretFields nf={nf} type={type} at={at} onChange={props.onChange} />}
        <Field
          label="CPU share"
          value={nf.cpuShare}
          onChange={(cpuShare) => props.onChange({ ...nf, cpuShare })}
          unit="weight"
          placeholder="100"
          inputMode="numeric"
          hint="weight against everything else on its core; empty: 100"
          error={at("cpu_share")[0]}
        />
        <Field
          label="CPU quota"
          value={nf.cpuQuota}
          onChange={(cpuQuota) => props.onChange({ ...nf, cpuQuota })}
          unit="% of its core"
          placeholder="all"
          inputMode="decimal"
          hint="largest part of its core that it may use; empty: all"
          error={at("cpu_quota_percent")[0]}
        />
        <Field
          label="Tied by"
          value={nf.tied ?? ""}
          onChange={(tied) => props.onChange({ ...nf, tied })}
          placeholder="no tie"
          hint="a name; NFs of other chains with the same one share its core, and move with it"
          error={at("tied")[0]}
        />
        {index > 0 && (
          <div>
            <Choose
              label="Host from here on"
              value={nf.host || SAME_HOST}
              choices={[
                { key: SAME_HOST, text: "that of the NF before" },
                ...hosts.map((id) => ({ key: id, text: id })),
              ]}
              onChange={(host) => props.onChange({ ...nf, host: host === SAME_HOST ? "" : host })}
            />
            {at("host")[0] && <p className="message bad">{at("host")[0]}</p>}
          </div>
        )}
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
      {type && <ConfigOptions type={type} />}
    </div>
  );
}
