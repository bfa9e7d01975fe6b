/** Users, and one's own sessions and API tokens: what is read of them, and what changes them. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import { ProblemError } from "./problem";
import type { SessionSort, TokenSort, UserSort } from "./sorts";
import type { IdentityProviderSettings, Role, UserView } from "./types";

export const USERS = ["users"] as const;
export const ACCOUNT = ["account"] as const;
export const SESSIONS = [...ACCOUNT, "sessions"] as const;
export const TOKENS = [...ACCOUNT, "tokens"] as const;

export const usersQuery = (sort?: UserSort) =>
  queryOptions({
    queryKey: [...USERS, sort ?? ""],
    queryFn: async () => {
      const wanted = { limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) => body(api.GET("/api/v1/users", { params: { query: { ...wanted, ...after } } })))
      ).items;
    },
    placeholderData: keepPreviousData,
  });

export const sessionsQuery = (sort?: SessionSort) =>
  queryOptions({
    queryKey: [...SESSIONS, sort ?? ""],
    queryFn: async () => {
      const wanted = { limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) =>
          body(api.GET("/api/v1/auth/sessions", { params: { query: { ...wanted, ...after } } })),
        )
      ).items;
    },
    placeholderData: keepPreviousData,
  });

export const tokensQuery = (sort?: TokenSort) =>
  queryOptions({
    queryKey: [...TOKENS, sort ?? ""],
    queryFn: async () => {
      const wanted = { limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) => body(api.GET("/api/v1/auth/tokens", { params: { query: { ...wanted, ...after } } })))
      ).items;
    },
    placeholderData: keepPreviousData,
  });

/** The answer alone shows the password. */
export function createUser(asked: { username: string; role: Role }) {
  return body(api.POST("/api/v1/users", { body: asked }));
}

export function changeUser(user: UserView, wanted: { role: Role | null; disabled: boolean | null }) {
  const params = { path: { name: user.username }, header: { "If-Match": `"${user.version}"` } };
  return body(api.PATCH("/api/v1/users/{name}", { params, body: wanted }));
}

/** The answer alone shows the password. */
export function resetPassword(username: string) {
  return body(api.POST("/api/v1/users/{name}/password-reset", { params: { path: { name: username } } }));
}

export function changePassword(current: string, wanted: string) {
  return body(api.POST("/api/v1/auth/password", { body: { current_password: current, new_password: wanted } }));
}

/** The answer alone shows the token. */
export function createToken(asked: { name: string; role: Role; days: number }) {
  return body(api.POST("/api/v1/auth/tokens", { body: asked }));
}

export async function revokeToken(id: number): Promise<void> {
  await body(api.DELETE("/api/v1/auth/tokens/{token_id}", { params: { path: { token_id: id } } }));
}

export async function endSession(id: number): Promise<void> {
  await body(api.DELETE("/api/v1/auth/sessions/{session_id}", { params: { path: { session_id: id } } }));
}

/** What the sign-in page offers; nobody is signed in there. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: () => body(api.GET("/api/v1/auth/options")),
});

/** Null where none is set up. */
export const identityProviderQuery = queryOptions({
  queryKey: ["identity-provider"],
  queryFn: async () => {
    try {
      return await body(api.GET("/api/v1/identity-provider"));
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status === 404) return null;
      throw error;
    }
  },
});

export function setIdentityProvider(wanted: IdentityProviderSettings, version: number | null) {
  const params = version === null ? {} : { header: { "If-Match": `"${version}"` } };
  return body(api.PUT("/api/v1/identity-provider", { params, body: wanted }));
}

export async function removeIdentityProvider(version: number): Promise<void> {
  await body(api.DELETE("/api/v1/identity-provider", { params: { header: { "If-Match": `"${version}"` } } }));
}
