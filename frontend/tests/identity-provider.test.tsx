/** The identity provider's form, what it sends, and what the sign-in page says of a failed sign-in. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { IdentityProviderSection } from "@/accounts/identity-provider";
import { draftOf, missingIn, rolesOf, settingsOf } from "@/accounts/provider-draft";
import { isRefused, REFUSED } from "@/accounts/refused-words";
import { identityProviderQuery, setIdentityProvider } from "@/api/account-queries";
import type { IdentityProvider } from "@/api/types";
import { cli } from "@/session/cli";

vi.mock("@/api/account-queries", async (original) => ({
  ...(await original<object>()),
  setIdentityProvider: vi.fn(),
}));

const STORED: IdentityProvider = {
  name: "Example ID",
  issuer: "https://id.example",
  console_url: "https://console.example",
  redirect_url: "https://console.example/api/v1/auth/oidc/callback",
  client_id: "sextant",
  client_secret: `secret:${"7".repeat(32)}`,
  scopes: ["openid", "profile"],
  username_claim: "preferred_username",
  groups_claim: "groups",
  roles: { netops: "operator" },
  changed_at: "2036-01-01T00:00:00Z",
  changed_by: "ada",
  version: 3,
};

function show(stored: IdentityProvider | null): void {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(identityProviderQuery.queryKey, stored);
  render(
    <QueryClientProvider client={client}>
      <IdentityProviderSection />
    </QueryClientProvider>,
  );
}

beforeEach(() => vi.mocked(setIdentityProvider).mockReset().mockResolvedValue(STORED));

describe("groups and roles", () => {
  it("are read one a line, the last = before the role", () => {
    expect(rolesOf("netops = operator\n\n cn=ops,dc=example = admin ")).toEqual({
      roles: { netops: "operator", "cn=ops,dc=example": "admin" },
      error: undefined,
    });
    expect(rolesOf("netops = root").error).toContain("viewer, operator, admin");
    expect(rolesOf("netops").error).toContain('"netops"');
  });

  it("are missed where there are none", () => {
    expect(missingIn({ ...draftOf(STORED, ""), roles: "" })).toBe("Give a role to one group at least.");
    expect(missingIn(draftOf(STORED, ""))).toBeNull();
  });
});

describe("the client's secret", () => {
  it("stays by its reference where the field is empty, and never stands in the command", () => {
    const draft = draftOf(STORED, "");
    expect(settingsOf(draft, STORED).client_secret).toBe(STORED.client_secret);
    const given = settingsOf({ ...draft, secret: "hush" }, STORED);
    expect(given.client_secret).toBe("hush");
    const command = cli.setIdentityProvider(given);
    expect(command).toContain("--client-secret env:CLIENT_SECRET");
    expect(command).toContain("--group netops=operator");
    expect(command).not.toContain("hush");
  });
});

it("is changed against the version that was read", async () => {
  show(STORED);
  await userEvent.click(screen.getByRole("button", { name: "Change" }));
  await userEvent.clear(screen.getByLabelText("Name"));
  expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
  await userEvent.type(screen.getByLabelText("Name"), "Company ID");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(vi.mocked(setIdentityProvider).mock.calls).toEqual([
    [settingsOf({ ...draftOf(STORED, ""), name: "Company ID" }, STORED), 3],
  ]);
});

it("says that none is set up, and offers to", async () => {
  show(null);
  expect(
    screen.getByText("None is set up: users sign in by password. Any OpenID Connect provider will do."),
  ).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Set up" }));
  expect(screen.getByText("Name the provider first.")).toBeDefined();
});

it("knows the reasons of the console, and shows no text from an address", () => {
  expect(Object.keys(REFUSED).sort()).toEqual(
    ["declined", "disabled", "expired", "invalid", "name", "no-role", "not-set-up", "provider"].sort(),
  );
  for (const other of ["", "toString", "<b>call this number</b>", 7, undefined]) expect(isRefused(other)).toBe(false);
});
