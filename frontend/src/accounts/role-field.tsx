/** Which role, in a form; says why one cannot be chosen. */

import type { ReactNode } from "react";
import type { Role } from "@/api/types";
import { ROLES } from "@/session/permission";
import { Segmented } from "@/ui/segmented";

export function RoleField(props: {
  value: Role;
  onChange: (role: Role) => void;
  /** The highest that can be chosen. */
  most?: Role;
  /** Why none above it can. */
  hint?: string | undefined;
  error?: string | undefined;
}): ReactNode {
  const { value, onChange, most = "admin", hint, error } = props;
  const above = (role: Role) => ROLES.indexOf(role) > ROLES.indexOf(most);
  return (
    <div className="field">
      <span className="react-aria-Label" aria-hidden="true">
        Role
      </span>
      <div className="control">
        <Segmented<Role>
          label="Role"
          value={value}
          options={ROLES.map((key) => ({ key, text: key, disabled: above(key) }))}
          onChange={onChange}
        />
      </div>
      {error ? <span className="message bad">{error}</span> : hint && <span className="message">{hint}</span>}
    </div>
  );
}
