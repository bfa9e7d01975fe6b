/** What NFs take up of their configuration while they run, as JSON: the backends of a load balancer, rules in the kernel. */

import type { ReactNode } from "react";
import type { ChainSpec, FieldError } from "@/api/types";
import { Field } from "@/ui/field";
import { type Changeable, configPath, type Edits, shownText } from "./adjust";

const MOST_ROWS = 8;

export function AdjustConfigs(props: {
  spec: ChainSpec;
  changeable: Changeable;
  edits: Edits;
  onEdit: (path: string, text: string) => void;
  errors: readonly FieldError[];
}): ReactNode {
  const { spec, changeable, edits, onEdit, errors } = props;
  return spec.nfs.flatMap(({ name, type }) =>
    Object.keys(changeable.get(type) ?? {}).map((setting) => {
      const path = configPath(name, setting);
      const text = shownText(spec, edits, path, changeable);
      return (
        <Field
          key={path}
          label={`${setting} of ${name}`}
          rows={Math.min(MOST_ROWS, text.split("\n").length)}
          value={text}
          onChange={(next) => onEdit(path, next)}
          hint="JSON; empty for the type's default"
          error={messageBelow(errors, path)}
        />
      );
    }),
  );
}

/** Of the setting and of what lies inside it: "1.address: lies inside vip_prefix". */
function messageBelow(errors: readonly FieldError[], path: string): string | undefined {
  const own = errors.filter(({ field }) => field === path || field.startsWith(`${path}.`));
  const texts = own.map(({ field, message }) => [field.slice(path.length + 1), message].filter(Boolean).join(": "));
  return texts.length > 0 ? texts.join("\n") : undefined;
}
