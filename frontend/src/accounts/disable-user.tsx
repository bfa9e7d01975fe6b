/** Refuses a user, or lets one sign in again; each after a question. */

import { type ReactNode, useState } from "react";
import { asProblem } from "@/api/problem";
import type { UserView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { useChange } from "./use-change";

export function DisableUser({ user }: { user: UserView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const change = useChange(user);
  const reason = useRoleReason("users.manage");
  const { username, role, disabled_at } = user;
  const disabled = Boolean(disabled_at);
  const action = disabled ? "Enable" : "Disable";
  return (
    <>
      <Button small look={disabled ? "plain" : "danger"} reason={reason} onClick={() => setAsking(true)}>
        {action}
        <span className="hidden-text"> {username}</span>
      </Button>
      <Confirm
        open={asking}
        title={`${action} ${username}`}
        action={action}
        busy={change.isPending}
        onConfirm={() => change.mutate({ role: null, disabled: !disabled }, { onSuccess: () => setAsking(false) })}
        onClose={() => {
          change.reset();
          setAsking(false);
        }}
      >
        {disabled ? (
          <p>
            {username} can sign in again, as {role}, as before.
          </p>
        ) : (
          <p>
            The sessions and API tokens of {username} end at once. Tokens do not come back when the user is enabled.
          </p>
        )}
        <CopyButton
          text={disabled ? cli.enableUser(username) : cli.disableUser(username)}
          curl={curls.switchUser(username, !disabled)}
        />
        {change.error && <ProblemNote problem={asProblem(change.error)} />}
      </Confirm>
    </>
  );
}
