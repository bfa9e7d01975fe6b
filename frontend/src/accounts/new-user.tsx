/** Creates a user with a generated password. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createUser, USERS } from "@/api/account-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { Role } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { RoleField } from "./role-field";
import { ShownOnce } from "./shown-once";

export function NewUser(): ReactNode {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: () => createUser({ username, role }),
    onSuccess: () => {
      setUsername("");
      void client.invalidateQueries({ queryKey: USERS });
    },
  });
  const problem = making.error ? asProblem(making.error) : null;
  const message = fieldMessages(problem?.errors ?? [])("username");
  const denied = useRoleReason("users.manage");
  const reason =
    denied ?? (username === "" ? "Name the user first." : making.isPending ? "It is being created." : null);
  return (
    <form
      className="account-form"
      aria-label="Create a user"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === null) making.mutate();
      }}
    >
      <Field
        label="Username"
        value={username}
        onChange={setUsername}
        error={message}
        hint="lower-case letters, digits, dots, hyphens and @"
      />
      <RoleField value={role} onChange={setRole} />
      <div className="row-actions">
        <Button type="submit" look="primary" reason={reason} reasonSide="below-left">
          Create user
        </Button>
        {username !== "" && (
          <CopyButton text={cli.createUser(username, role)} curl={curls.createUser(username, role)} />
        )}
      </div>
      {problem && !message && <ProblemNote problem={problem} onDismiss={() => making.reset()} />}
      {making.data && <ShownOnce what={`Password of ${making.data.user.username}`} secret={making.data.password} />}
    </form>
  );
}
