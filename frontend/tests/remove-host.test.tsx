import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { removeHost } from "@/api/actions";
import { ProblemError } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import type { ChainView } from "@/api/types";
import { RemoveHost } from "@/hosts/remove-host";
import { live } from "@/live/store";
import { chain, host, snapshot } from "./fixtures";
import { heartbeats } from "./heartbeats";

const gone = vi.fn();
vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), removeHost: vi.fn() }));
vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/chain">{children}</a>,
  useNavigate: () => gone,
}));

const BARE = { errors: [], next_actions: [], instance: null, request_id: null, difference: null };

async function asked(chains: readonly ChainView[] = []): Promise<void> {
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({})] });
  heartbeats();
  const client = new QueryClient();
  const session = {
    username: "ops-1",
    role: "admin" as const,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  render(
    <QueryClientProvider client={client}>
      <RemoveHost host={host("r-07", 1, 2, 1, { labels: { rack: "r" } })} chains={chains} />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
}

const confirm = () => screen.getByRole("button", { name: /^Remove r-07/ });
const isBlocked = () => confirm().getAttribute("aria-disabled") === "true" || confirm().hasAttribute("disabled");

describe("removing a host", () => {
  it("names what is lost, and waits for its name", async () => {
    vi.mocked(removeHost).mockResolvedValue();
    await asked();
    const dialog = screen.getByRole("alertdialog").textContent ?? "";
    expect(dialog).toContain("its labels (rack r)");
    expect(dialog).toContain("outcomes of its chains");
    await userEvent.type(screen.getByLabelText("Its name"), "r-0");
    expect(isBlocked()).toBe(true);
    await userEvent.type(screen.getByLabelText("Its name"), "7");
    expect(isBlocked()).toBe(false);
    await userEvent.click(confirm());
    expect(removeHost).toHaveBeenCalledExactlyOnceWith("r-07");
    expect(gone).toHaveBeenCalledWith({ to: "/" });
  });

  it("cannot be confirmed while chains run there, and says how to move them", async () => {
    vi.mocked(removeHost).mockClear();
    await asked([chain("web")]);
    const dialog = screen.getByRole("alertdialog").textContent ?? "";
    expect(dialog).toContain("r-07 runs 1 chain: web");
    expect(dialog).toContain("Drain it under Maintenance to move its chains to other hosts");
    expect(screen.queryByLabelText("Its name")).toBeNull();
    expect(isBlocked()).toBe(true);
    await userEvent.click(confirm());
    expect(removeHost).not.toHaveBeenCalled();
  });

  it("shows what the console refuses, and stays", async () => {
    const problem = { type: "urn:sextant:problem:host-in-use", title: "Chains run on the host", status: 409 };
    const detail = "Profiling job 3 measures on r-07. Nothing was removed.";
    vi.mocked(removeHost).mockRejectedValue(new ProblemError({ ...problem, detail, ...BARE }));
    await asked();
    await userEvent.type(screen.getByLabelText("Its name"), "r-07");
    await userEvent.click(confirm());
    expect((await screen.findByRole("alertdialog")).textContent).toContain("Profiling job 3 measures on r-07");
  });
});
