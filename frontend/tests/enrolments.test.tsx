import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionQuery } from "@/api/queries";
import type { Enrolment, EnrolmentMade, Session } from "@/api/types";
import { AddHost } from "@/fleet/add-host";
import { RevokeHost } from "@/hosts/revoke-host";
import { SilentBanner } from "@/hosts/silent-banner";
import { timeLeft } from "@/lib/format";
import { cli } from "@/session/cli";
import { host } from "./fixtures";

const NOW = Date.parse("2026-11-21T10:00:00Z");
const TOKEN = `sxe_${"A".repeat(43)}.${"B".repeat(43)}`;

vi.mock("@/live/freshness", () => ({ useStaleReason: () => null, useNow: () => NOW }));

/** What the console answers, and what it was asked. */
const wire = vi.hoisted(() => ({
  waiting: [] as unknown[],
  asked: [] as [string, string, unknown][],
  read: [] as unknown[],
  refuse: null as { status: number; body: unknown } | null,
  url: "",
}));

vi.mock("@/api/client", async (original) => {
  const answer = (status: number, data: unknown) => ({ data, response: new Response(null, { status }) });
  const write = (method: string) => async (path: string, options: unknown) => {
    wire.asked.push([method, path, options]);
    if (wire.refuse) return { error: wire.refuse.body, response: new Response("", { status: wire.refuse.status }) };
    if (path !== "/api/v1/enrolments") return answer(method === "DELETE" ? 204 : 200, {});
    const enrolment = pending(7, (options as { body: { host: string } }).body.host);
    wire.waiting = [enrolment];
    const command = `sextant-agent enrol --console ${wire.url} --token-file - <<< '${TOKEN}'`;
    return answer(201, { enrolment, token: TOKEN, fleet_url: wire.url, command } satisfies EnrolmentMade);
  };
  return {
    ...(await original<typeof import("@/api/client")>()),
    api: {
      GET: async (_path: string, options: unknown) => {
        wire.read.push(options);
        return answer(200, { items: wire.waiting, next: null });
      },
      POST: write("POST"),
      DELETE: write("DELETE"),
    },
  };
});

function pending(id: number, name: string, expires = "2026-11-21T10:09:40Z"): Enrolment {
  const created_at = "2026-11-21T09:59:40Z";
  return { id, host: name, count: 1, fleet: false, created_by: "ada", created_at, expires_at: expires };
}

function page(children: ReactNode, role: "admin" | "viewer" = "admin"): ReactNode {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const session: Session = {
    username: "ops-1",
    role,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryDefaults(sessionQuery.queryKey, { staleTime: Number.POSITIVE_INFINITY });
  client.setQueryData<Session | null>(sessionQuery.queryKey, session);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

async function opened(): Promise<HTMLElement> {
  render(page(<AddHost />));
  await userEvent.click(screen.getByRole("button", { name: "Add host" }));
  return screen.findByRole("dialog", { name: "Add a host" });
}

beforeEach(() => {
  Object.assign(wire, { waiting: [], asked: [], read: [], refuse: null, url: "https://192.0.2.1:8443" });
});
afterEach(() => vi.clearAllMocks());

describe("time left of a token", () => {
  it("is in minutes and seconds, and nothing once it has expired", () => {
    expect(timeLeft("2026-11-21T10:09:40Z", NOW)).toBe("9 min 40 s");
    expect(timeLeft("2026-11-21T10:00:12.900Z", NOW)).toBe("12 s");
    expect(timeLeft("2026-11-21T10:00:00.400Z", NOW)).toBeNull();
    expect(timeLeft("2026-11-21T09:59:59Z", NOW)).toBeNull();
    expect(timeLeft("nonsense", NOW)).toBeNull();
  });
});

describe("add host", () => {
  it("shows the command once, lists the token without it, and is accessible", async () => {
    const dialog = await opened();
    await userEvent.type(within(dialog).getByLabelText("Name of the host"), "edge-7{Enter}");
    const command = await within(dialog).findByText(/sextant-agent enrol --console https:/);
    expect(command.textContent).toContain(TOKEN);
    expect(wire.asked).toEqual([
      ["POST", "/api/v1/enrolments", { body: { host: "edge-7", count: null, labels: {}, lifetime_s: 600 } }],
    ]);
    const table = await within(dialog).findByRole("table", { name: "Unused tokens" });
    expect(within(table).getByText("9 min 40 s")).toBeTruthy();
    expect(table.textContent).not.toContain("sxe_");
    const copy = within(dialog).getByRole("button", { name: "Copy as CLI" });
    expect(copy.title).toBe("sextant hosts enrol edge-7");
    const found = await axe.run(dialog, {
      rules: { region: { enabled: false }, "color-contrast": { enabled: false } },
    });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it.each([
    ["https://192.0.2.1:8443", 0],
    ["https://127.0.0.1:41234", 1],
    ["https://localhost:41234", 1],
  ])("at %s says whether other machines reach the console", async (url, warnings) => {
    wire.url = url;
    const dialog = await opened();
    await userEvent.type(within(dialog).getByLabelText("Name of the host"), "edge-7{Enter}");
    await within(dialog).findByText(/sextant-agent enrol --console https:/);
    expect(within(dialog).queryAllByText(/Only this machine can reach/)).toHaveLength(warnings);
  });

  it("says beside the field what is wrong with a name", async () => {
    const errors = [{ field: "host", message: "'Edge_7' is no name" }];
    const body = { type: "urn:sextant:problem:validation", title: "t", status: 422, detail: "d", errors };
    wire.refuse = { status: 422, body };
    const dialog = await opened();
    await userEvent.type(within(dialog).getByLabelText("Name of the host"), "Edge_7{Enter}");
    expect(await within(dialog).findByText("'Edge_7' is no name")).toBeTruthy();
  });

  it("makes nothing for an empty name, nor for a viewer", async () => {
    const dialog = await opened();
    await userEvent.click(within(dialog).getByRole("button", { name: "Create a token" }));
    expect(within(dialog).getByText("Name the host first.")).toBeTruthy();
    expect(wire.asked).toEqual([]);
  });

  it("stays shut for a viewer and says why", async () => {
    render(page(<AddHost />, "viewer"));
    await userEvent.click(screen.getByRole("button", { name: "Add host" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByRole("tooltip").textContent).toContain("Needs the role admin");
  });

  it("sorts unused tokens by their heads, by the server", async () => {
    wire.waiting = [pending(3, "edge-8"), pending(2, "edge-9")];
    const dialog = await opened();
    const head = () => within(dialog).findByRole("button", { name: "Valid for" });
    for (const sort of ["expires_at", "-expires_at"]) {
      await userEvent.click(await head());
      await waitFor(() => expect(wire.read.at(-1)).toEqual({ params: { query: { limit: 200, sort } } }));
    }
    await userEvent.click(await head());
    const shown = within(dialog).getByRole("columnheader", { name: "Valid for" });
    await waitFor(() => expect(shown.getAttribute("aria-sort")).toBe("none"));
  });

  it("takes a token back, and shows none that has expired", async () => {
    wire.waiting = [pending(3, "edge-8"), pending(2, "edge-9", "2026-11-21T09:59:00Z")];
    const dialog = await opened();
    const button = await within(dialog).findByRole("button", { name: "Withdraw the token for edge-8" });
    expect(within(dialog).queryByText("edge-9")).toBeNull();
    wire.waiting = [];
    await userEvent.click(button);
    await waitFor(() => expect(within(dialog).getByText(/^None\./)).toBeTruthy());
    expect(wire.asked).toEqual([
      ["DELETE", "/api/v1/enrolments/{enrolment_id}", { params: { path: { enrolment_id: 3 } } }],
    ]);
  });
});

describe("a reason on the command line", () => {
  it("is one word of the shell, whatever is in it", () => {
    expect(cli.revokeHost("edge-7", "ada's; rm -rf /")).toBe(
      "sextant hosts revoke edge-7 --reason 'ada'\\''s; rm -rf /'",
    );
  });
});

describe("a host that is not trusted", () => {
  it("says why and what lets it back in", () => {
    const status_reason = "its certificates were revoked by ada: its disk was lost";
    const revoked = host("edge-7", 1, 2, 1, {
      status: "unreachable",
      revoked_at: "2026-11-21T09:00:00Z",
      status_reason,
    });
    render(<SilentBanner host={revoked} />);
    const text = screen.getByTestId("revoked-host").textContent;
    expect(text).toContain("revoked by ada: its disk was lost");
    expect(text).toContain("sextant hosts enrol edge-7");
  });

  it("is revoked only with a reason", async () => {
    render(page(<RevokeHost host={host("edge-7")} />));
    await userEvent.click(screen.getByRole("button", { name: "Revoke" }));
    const dialog = await screen.findByRole("alertdialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Revoke" }));
    expect(wire.asked).toEqual([]);
    await userEvent.type(within(dialog).getByLabelText("Why"), " its disk was lost ");
    const command = within(dialog).getByRole("button", { name: "Copy as CLI" }).title;
    expect(command).toBe("sextant hosts revoke edge-7 --reason 'its disk was lost'");
    await userEvent.click(within(dialog).getByRole("button", { name: "Revoke" }));
    const options = { params: { path: { host_id: "edge-7" } }, body: { reason: "its disk was lost" } };
    await waitFor(() => expect(wire.asked).toEqual([["POST", "/api/v1/hosts/{host_id}/revoke", options]]));
  });
});
