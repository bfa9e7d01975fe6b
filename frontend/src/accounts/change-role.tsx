/** Gives a user another role, after saying what it adds or takes away; offers the way back. */

import { type ReactNode, useState } from "react";
import { ALLOWS, PERMISSIONS_OF } from "@/api/permissions.gen";
import { asProblem } from "@/api/problem";
import type { Role, UserView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { type Permission, ROLES, useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { useChange } from "./use-change";

export function ChangeRole({ user }: { user: UserView }): ReactNode {
  const [wanted, setWanted] = useState<Role | null>(null);
  const [former, setFormer] = useState<Role | null>(null);
  const change = useChange(user);
  const { username, role } = user;
  const reason =
    useRoleReason("users.manage") ??
    (user.issuer ? "Groups of the identity provider give it, at every sign-in." : null) ??
    (change.isPending ? "The role is being changed." : null);
  const chosen = wanted ?? role;

  function give(to: Role, undoTo: Role | null): void {
    const onSuccess = () => {
      setWanted(null);
      setFormer(undoTo);
    };
    change.mutate({ role: to, disabled: null }, { onSuccess });
  }

  return (
    <>
      {former && former !== role && (
        <span className="undo" role="status">
          Was {former}.{" "}
          <Button small reason={reason} onClick={() => give(former, null)}>
            Undo
            <span className="hidden-text">
              : {username} becomes {former}
            </span>
          </Button>
        </span>
      )}
      <Button small reason={reason} onClick={() => setWanted(role)}>
        Change role<span className="hidden-text"> of {username}</span>
      </Button>
      <Confirm
        open={wanted !== null}
        title={`Change the role of ${username}`}
        action="Change role"
        reason={change.isPending ? "The role is being changed." : chosen === role ? "Choose another role first." : null}
        onConfirm={() => give(chosen, role)}
        onClose={() => {
          change.reset();
          setWanted(null);
        }}
      >
        <Segmented<Role>
          label={`Role of ${username}`}
          value={chosen}
          options={ROLES.map((key) => ({ key, text: key }))}
          onChange={setWanted}
        />
        <Effect username={username} from={role} to={chosen} />
        {chosen !== role && <CopyButton text={cli.setRole(username, chosen)} curl={curls.setRole(username, chosen)} />}
        {change.error && <ProblemNote problem={asProblem(change.error)} />}
      </Confirm>
      {change.error && wanted === null && (
        <ProblemNote problem={asProblem(change.error)} onDismiss={() => change.reset()} />
      )}
    </>
  );
}

/** What changes, in the words of the one table of permissions. */
function Effect({ username, from, to }: { username: string; from: Role; to: Role }): ReactNode {
  if (from === to) {
    return (
      <p>
        {username} is {from}.
      </p>
    );
  }
  const rises = ROLES.indexOf(to) > ROLES.indexOf(from);
  const [less, more] = rises ? [from, to] : [to, from];
  return (
    <>
      <p>
        From the next request on, {username} {rises ? "may also" : "may no longer"}:
      </p>
      <ul className="permissions">
        {difference(less, more).map((one) => (
          <li key={one} title={one}>
            {ALLOWS[one]}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The permissions that `more` has and `less` has not. */
export function difference(less: Role, more: Role): Permission[] {
  const before: readonly Permission[] = PERMISSIONS_OF[less];
  return PERMISSIONS_OF[more].filter((one) => !before.includes(one));
}
