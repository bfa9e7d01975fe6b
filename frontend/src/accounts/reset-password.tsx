/** Gives a user a generated password after a question, and shows it once. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { resetPassword, USERS } from "@/api/account-queries";
import { asProblem } from "@/api/problem";
import type { UserView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm, Window } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { ShownOnce } from "./shown-once";

export function ResetPassword({ user }: { user: UserView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => resetPassword(user.username),
    onSuccess: () => {
      setAsking(false);
      void client.invalidateQueries({ queryKey: USERS });
    },
  });
  const reason =
    useRoleReason("users.manage") ?? (user.issuer ? "Signs in by the identity provider: no password here." : null);
  return (
    <>
      <Button small reason={reason} onClick={() => setAsking(true)}>
        Reset password<span className="hidden-text"> of {user.username}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Reset the password of ${user.username}`}
        action="Reset"
        reason={reset.isPending ? "It is being reset." : null}
        onConfirm={() => reset.mutate()}
        onClose={() => {
          reset.reset();
          setAsking(false);
        }}
      >
        <p>Sessions end. API tokens are refused until the generated password has been changed.</p>
        <CopyButton text={cli.resetPassword(user.username)} curl={curls.resetPassword(user.username)} />
        {reset.error && <ProblemNote problem={asProblem(reset.error)} />}
      </Confirm>
      <Window
        open={reset.data !== undefined}
        title={`The password of ${user.username} was reset`}
        onClose={() => reset.reset()}
      >
        {reset.data && <ShownOnce what={`Password of ${user.username}`} secret={reset.data.password} />}
      </Window>
    </>
  );
}
