/** Users: a role is changed after a question and can be changed back; a reset shows its password once; who may see the page. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { difference } from "@/accounts/change-role";
import { OwnPassword } from "@/accounts/own-password";
import { OwnSessions } from "@/accounts/own-sessions";
import { OwnTokens } from "@/accounts/own-tokens";
import { UsersTable } from "@/accounts/users-table";
import { changeUser, endSession, resetPassword, sessionsQuery, tokensQuery } from "@/api/account-queries";
import { ProblemError } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import type { Role, SessionView, UserView } from "@/api/types";
import { findEntries } from "@/app/find";
import { live } from "@/live/store";

vi.mock("@/api/account-queries", async (original) => ({
  ...(await original<object>()),
  changeUser: vi.fn(),
  resetPassword: vi.fn(),
  endSession: vi.fn(),
}));

const EVE: UserView = {
  username: "eve",
  role: "operator",
  disabled_at: null,
  issuer: null,
  must_change_password: false,
  created_at: "2036-01-01T00:00:00Z",
  last_used_at: null,
  version: 3,
};
const SESSION: SessionView = {
  id: 7,
  created_at: "2036-01-01T00:00:00Z",
  last_used_at: null,
  expires_at: "2036-01-01T12:00:00Z",
  client: "192.0.2.7",
  browser: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  browser_name: "Firefox on Linux",
  current: false,
};

function show(page: ReactNode, role: Role = "admin"): (next: ReactNode) => void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const session = {
    username: "ada",
    role,
    csrf_token: "t",
    expires_at: "2036-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(sessionsQuery().queryKey, [SESSION, { ...SESSION, id: 8, current: true }]);
  client.setQueryData(tokensQuery().queryKey, []);
  const inside = (what: ReactNode) => <QueryClientProvider client={client}>{what}</QueryClientProvider>;
  const { rerender } = render(inside(page));
  return (next) => rerender(inside(next));
}

const button = (name: string | RegExp) => screen.getByRole("button", { name });
const asked = () => within(screen.getByRole("alertdialog"));

beforeEach(() => {
  vi.mocked(changeUser).mockReset();
  vi.mocked(resetPassword).mockReset();
  vi.mocked(endSession).mockReset().mockResolvedValue(undefined);
});

describe("one's own password", () => {
  it("has a form for a local account, and none where an identity provider keeps it", () => {
    const next = show(<OwnPassword issuer={null} onChanged={vi.fn()} />);
    expect(screen.getByRole("form", { name: "Change password" })).toBeTruthy();
    next(<OwnPassword issuer="https://id.example" onChanged={vi.fn()} />);
    expect(screen.queryByRole("form")).toBeNull();
    expect(screen.getByText(/You sign in by https:\/\/id\.example/)).toBeTruthy();
  });
});

describe("the role of a user", () => {
  it("names the permissions that a change takes away or adds", () => {
    const lost = difference("operator", "admin");
    for (const one of ["users.manage", "authority.manage", "hosts.enrol", "automation.policy"])
      expect(lost).toContain(one);
    expect(lost).not.toContain("chains.write");
    expect(difference("viewer", "operator")).toContain("chains.write");
    expect(difference("viewer", "viewer")).toEqual([]);
  });

  it("is changed after a question only, and back by Undo", async () => {
    vi.mocked(changeUser).mockResolvedValue({ ...EVE, role: "viewer", version: 4 });
    const change = show(<UsersTable users={[EVE]} sort={undefined} onSort={vi.fn()} />);
    await userEvent.click(button("Change role of eve"));
    await userEvent.click(asked().getByRole("radio", { name: "viewer" }));
    expect(screen.getByRole("alertdialog").textContent).toContain(
      "eve may no longer:Create, adjust, import and delete chains",
    );
    expect(changeUser).not.toHaveBeenCalled();
    await userEvent.click(asked().getByRole("button", { name: "Change role" }));
    expect(vi.mocked(changeUser).mock.calls).toEqual([[EVE, { role: "viewer", disabled: null }]]);
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());

    const viewer: UserView = { ...EVE, role: "viewer", version: 4 };
    change(<UsersTable users={[viewer]} sort={undefined} onSort={vi.fn()} />);
    expect(screen.getByText(/Was operator/)).toBeDefined();
    vi.mocked(changeUser).mockResolvedValue({ ...EVE, version: 5 });
    await userEvent.click(button(/^Undo/));
    expect(vi.mocked(changeUser).mock.calls[1]).toEqual([viewer, { role: "operator", disabled: null }]);
    change(<UsersTable users={[{ ...EVE, version: 5 }]} sort={undefined} onSort={vi.fn()} />);
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Undo/ })).toBeNull());
  });

  it("stays where the console refuses, with its reason in the question", async () => {
    const problem = {
      type: "urn:sextant:problem:last-admin",
      title: "The last active administrator stays",
      status: 409,
    };
    vi.mocked(changeUser).mockRejectedValue(
      new ProblemError({
        ...problem,
        detail: "eve is the last active administrator.",
        errors: [],
        next_actions: [],
      } as never),
    );
    show(<UsersTable users={[{ ...EVE, role: "admin" }]} sort={undefined} onSort={vi.fn()} />);
    await userEvent.click(button("Change role of eve"));
    await userEvent.click(asked().getByRole("radio", { name: "viewer" }));
    await userEvent.click(asked().getByRole("button", { name: "Change role" }));
    expect(await asked().findByText(/eve is the last active administrator/)).toBeDefined();
    expect(screen.queryByText(/^Was /)).toBeNull();
  });

  it("says to whoever may not change it which role that needs", () => {
    show(<UsersTable users={[EVE]} sort={undefined} onSort={vi.fn()} />, "operator");
    expect(button("Change role of eve").getAttribute("aria-disabled")).toBe("true");
    expect(screen.getAllByText("Needs the role admin. You are operator.")).toHaveLength(3);
  });
});

it("shows a reset password in a window that has nothing to press but Copy and Close", async () => {
  vi.mocked(resetPassword).mockResolvedValue({ user: EVE, password: "aaaaa-bbbbb" });
  show(<UsersTable users={[EVE]} sort={undefined} onSort={vi.fn()} />);
  await userEvent.click(button("Reset password of eve"));
  await userEvent.click(asked().getByRole("button", { name: "Reset" }));
  expect(await screen.findByText("aaaaa-bbbbb")).toBeDefined();
  expect(screen.queryByRole("alertdialog")).toBeNull();
  const names = within(screen.getByRole("dialog"))
    .getAllByRole("button")
    .map(({ textContent }) => textContent);
  expect(names).toEqual(["Copy", "Close"]);
});

describe("one's own account", () => {
  it("names browsers in words, and their own string on hover; the session that asks cannot be ended", async () => {
    show(<OwnSessions sort={undefined} onSort={() => {}} />);
    expect(screen.getAllByText("Firefox on Linux")[0]?.title).toBe(SESSION.browser);
    expect(screen.getByText("This session: sign out ends it.")).toBeDefined();
    const [first] = screen.getAllByRole("button", { name: /^End the session/ });
    await userEvent.click(first as HTMLElement);
    expect(endSession).not.toHaveBeenCalled();
    await userEvent.click(asked().getByRole("button", { name: "End" }));
    expect(endSession).toHaveBeenCalledWith(7);
  });

  it("says why a token cannot be an administrator's, and that there is none", () => {
    show(<OwnTokens most="operator" sort={undefined} onSort={() => {}} />, "operator");
    expect(screen.getByText("You are operator: a token of yours cannot do more.")).toBeDefined();
    expect(screen.getByText(/^No API tokens\./)).toBeDefined();
  });
});

it("finds the users' page for whoever may see it, and one's account for all", () => {
  const found = (text: string, role: Role) => findEntries(text, live.getState(), [], role).map(({ href }) => href);
  expect(found("users", "admin")).toEqual(["/users"]);
  expect(found("users", "operator")).toEqual([]);
  expect(found("token", "viewer")).toEqual(["/account"]);
});
