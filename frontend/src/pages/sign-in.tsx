/** Sign-in: says where the first password is, and what was wrong beside the field. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { REFUSED } from "@/accounts/refused-words";
import { signInOptionsQuery } from "@/api/account-queries";
import { api, body, setCsrfToken, setTraces } from "@/api/client";
import { asProblem, fieldMessages, problemKind } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import type { Problem } from "@/api/types";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

const route = getRouteApi("/sign-in");

export function SignInPage(): ReactNode {
  const [username, setUsername] = useState("admin");
  const [password, setPassword] = useState("");
  const { back, refused } = route.useSearch();
  const { data: options } = useQuery(signInOptionsQuery);
  const router = useRouter();
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: () => body(api.POST("/api/v1/auth/login", { body: { username, password } })),
    onSuccess: (session) => {
      setCsrfToken(session.csrf_token);
      setTraces(session.traces ?? false);
      client.setQueryData(sessionQuery.queryKey, session);
      router.history.push(back ?? "/");
    },
  });
  const problem = signIn.error ? asProblem(signIn.error) : null;
  const wrong = problem && problemKind(problem) === "unauthenticated";
  const fields = fieldMessages(problem?.errors ?? []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!signIn.isPending) signIn.mutate();
  }

  return (
    <main className="sign-in">
      <h1>Sextant</h1>
      {refused && (
        <p className="sign-in-refused" role="alert">
          {REFUSED[refused]}
        </p>
      )}
      {options?.provider && (
        <a
          className="btn sign-in-provider"
          href={`/api/v1/auth/oidc${back ? `?back=${encodeURIComponent(back)}` : ""}`}
        >
          Sign in with {options.provider}
        </a>
      )}
      <form onSubmit={submit} aria-label="Sign in">
        <Field
          label="Username"
          name="username"
          value={username}
          onChange={setUsername}
          autoComplete="username"
          error={fields("username")}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          autoFocus
          error={wrong ? wrongText(problem) : fields("password")}
          hint="The first one is in the data folder: <data>/admin-password"
        />
        <div className="sign-in-action">
          <Button type="submit" look="primary" reason={signIn.isPending ? "Signing in." : null}>
            Sign in
          </Button>
        </div>
      </form>
      {problem && !wrong && (problem.errors ?? []).length === 0 && <ProblemNote problem={problem} />}
      <p className="t3">
        Password lost: in the folder where Sextant was started, run <code className="command">make reset-password</code>
      </p>
    </main>
  );
}

function wrongText(problem: Problem): string {
  return `${problem.detail || "Username or password is wrong."} The first password is in <data>/admin-password.`;
}
