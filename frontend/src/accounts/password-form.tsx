/** Changes one's own password, by the current one. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { changePassword } from "@/api/account-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

const LEAST = 12;

export function PasswordForm({ onChanged }: { onChanged: () => void }): ReactNode {
  const [current, setCurrent] = useState("");
  const [wanted, setWanted] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword(current, wanted),
    onSuccess: () => {
      setCurrent("");
      setWanted("");
      onChanged();
    },
  });
  const problem = change.error ? asProblem(change.error) : null;
  const fields = fieldMessages(problem?.errors ?? []);
  const missing =
    current === ""
      ? "Enter your current password."
      : wanted.length < LEAST
        ? `Enter at least ${LEAST} characters.`
        : null;
  const reason = missing ?? (change.isPending ? "It is being changed." : null);
  return (
    <form
      className="account-form"
      aria-label="Change password"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason === null) change.mutate();
      }}
    >
      <Field
        label="Current password"
        type="password"
        value={current}
        onChange={setCurrent}
        autoComplete="current-password"
        error={fields("current_password")}
      />
      <Field
        label="New password"
        type="password"
        value={wanted}
        onChange={setWanted}
        autoComplete="new-password"
        hint={`at least ${LEAST} characters; your other sessions end`}
        error={fields("new_password")}
      />
      {problem && (problem.errors ?? []).length === 0 && <ProblemNote problem={problem} />}
      <div className="row-actions">
        <Button type="submit" look="primary" reason={reason} reasonSide="below-left">
          Change password
        </Button>
        {change.isSuccess && <span role="status">Changed.</span>}
      </div>
    </form>
  );
}
