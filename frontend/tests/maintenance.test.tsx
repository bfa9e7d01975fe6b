/** The section Maintenance of a host's page: the state of the host, why, and the way to change it. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { askForPlan, cordonHost, renumberHost, uncordonHost } from "@/api/actions";
import { ProblemError } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import type { HostView } from "@/api/types";
import { Maintenance } from "@/hosts/maintenance";
import { live } from "@/live/store";
import { fullPlan, host, snapshot } from "./fixtures";
import { heartbeats } from "./heartbeats";

const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => went }));

vi.mock("@/api/actions", async (original) => ({
  ...(await original<object>()),
  askForPlan: vi.fn(),
  cordonHost: vi.fn(),
  renumberHost: vi.fn(),
  uncordonHost: vi.fn(),
}));

const CORDONED: HostView = {
  ...host("edge-1"),
  cordon: { reason: "new memory", by: "ada", since: "2036-01-01T00:00:00Z" },
};

function show(view: HostView, chains = 0, role: "operator" | "viewer" = "operator"): void {
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({})] });
  heartbeats();
  // As long as the test takes, the session is not asked for again: nobody would answer.
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
  render(
    <QueryClientProvider client={client}>
      <Maintenance host={view} chains={chains} />
    </QueryClientProvider>,
  );
}

const button = (name: string) => screen.getByRole("button", { name });
const isBlocked = (one: HTMLElement) => one.getAttribute("aria-disabled") === "true" || one.hasAttribute("disabled");
/** The dialog's own button: the one that opened it has the same name. */
const confirm = () => within(screen.getByRole("alertdialog")).getByRole("button", { name: "Cordon" });

beforeEach(() => {
  went.mockReset();
  vi.mocked(askForPlan)
    .mockReset()
    .mockResolvedValue(fullPlan({ id: 9 }));
  vi.mocked(cordonHost).mockReset().mockResolvedValue(CORDONED);
  vi.mocked(uncordonHost).mockReset().mockResolvedValue(host("edge-1"));
});

describe("the state of a host", () => {
  it("says that a host is in service", () => {
    show(host("edge-1"), 2);
    expect(screen.getByText("In service, 2 chains here. Plans may put NFs on this host.")).toBeDefined();
  });

  it("says why a host is cordoned, by whom, and that its chains go on", () => {
    show(CORDONED, 1);
    expect(screen.getByText("new memory")).toBeDefined();
    expect(screen.getByText(/^ada, /)).toBeDefined();
    expect(screen.getByText("1, which goes on running")).toBeDefined();
  });
});

describe("cordoning", () => {
  it("asks for a reason, and sends it without the spaces around it", async () => {
    show(host("edge-1"));
    await userEvent.click(button("Cordon"));
    expect(screen.getByRole("alertdialog").textContent).toContain("What stands there goes on running");
    expect(isBlocked(confirm())).toBe(true);
    await userEvent.click(confirm());
    expect(cordonHost).not.toHaveBeenCalled();
    await userEvent.type(screen.getByLabelText("Why"), " new memory ");
    await userEvent.click(confirm());
    expect(cordonHost).toHaveBeenCalledExactlyOnceWith("edge-1", "new memory");
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it("shows what the console refuses, and stays", async () => {
    vi.mocked(cordonHost).mockRejectedValue(
      new ProblemError({
        type: "urn:sextant:problem:not-found",
        title: "Not found",
        status: 404,
        detail: "There is no host edge-1.",
        errors: [],
        next_actions: [],
        instance: null,
        request_id: null,
        difference: null,
      }),
    );
    show(host("edge-1"));
    await userEvent.click(button("Cordon"));
    await userEvent.type(screen.getByLabelText("Why"), "new memory");
    await userEvent.click(confirm());
    expect(screen.getByRole("alertdialog").textContent).toContain("There is no host edge-1.");
  });

  it("is not for viewers", async () => {
    show(host("edge-1"), 0, "viewer");
    expect(isBlocked(button("Cordon"))).toBe(true);
    await userEvent.click(button("Cordon"));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("uncordoning", () => {
  it("takes one click", async () => {
    show(CORDONED);
    await userEvent.click(button("Uncordon"));
    expect(uncordonHost).toHaveBeenCalledExactlyOnceWith("edge-1");
  });

  it("is not for viewers", async () => {
    show(CORDONED, 0, "viewer");
    await userEvent.click(button("Uncordon"));
    expect(uncordonHost).not.toHaveBeenCalled();
  });
});

describe("draining", () => {
  const plan = () => within(screen.getByRole("alertdialog")).getByRole("button", { name: "Plan the drain" });

  it("cordons a host in service first, for the reason that is asked for, and shows the plan", async () => {
    show(host("edge-1"), 2);
    await userEvent.click(button("Drain"));
    expect(screen.getByRole("alertdialog").textContent).toContain("Cordons the host now. Plans to move 2 chains");
    expect(isBlocked(plan())).toBe(true);
    await userEvent.type(screen.getByLabelText("Why"), " new memory ");
    await userEvent.click(plan());
    expect(cordonHost).toHaveBeenCalledExactlyOnceWith("edge-1", "new memory");
    expect(vi.mocked(askForPlan).mock.calls[0]?.[0]).toEqual({ kind: "drain", host: "edge-1" });
    expect(went).toHaveBeenCalledExactlyOnceWith({ to: "/plans/$planId", params: { planId: "9" } });
  });

  it("asks for no reason where the host is cordoned", async () => {
    show(CORDONED, 1);
    await userEvent.click(button("Drain"));
    expect(screen.queryByLabelText("Why")).toBeNull();
    await userEvent.click(plan());
    expect(cordonHost).not.toHaveBeenCalled();
    expect(askForPlan).toHaveBeenCalledOnce();
  });

  it("asks for no plan where the cordon was refused", async () => {
    vi.mocked(cordonHost).mockRejectedValue(new Error("no answer"));
    show(host("edge-1"), 2);
    await userEvent.click(button("Drain"));
    await userEvent.type(screen.getByLabelText("Why"), "new memory");
    await userEvent.click(plan());
    expect(askForPlan).not.toHaveBeenCalled();
    expect(screen.getByRole("alertdialog")).toBeDefined();
  });

  it("is not for an empty host, nor for viewers", async () => {
    show(CORDONED, 0);
    expect(isBlocked(button("Drain"))).toBe(true);
    expect(screen.getByText("none: the host is empty")).toBeDefined();
  });
});

describe("a host that runs a newer order than the console knows", () => {
  const AHEAD: HostView = { ...host("edge-1"), applied_generation: 9, desired_generation: 7 };

  it("is offered a higher number, with the command, and nothing is asked for before it is confirmed", async () => {
    vi.mocked(renumberHost).mockReset().mockResolvedValue(host("edge-1"));
    show(AHEAD);
    const user = userEvent.setup();
    await user.click(button("Renumber"));
    const dialog = within(screen.getByRole("alertdialog"));
    expect(dialog.getByText(/runs generation 9, and this console knows of 7 only/)).toBeDefined();
    expect(renumberHost).not.toHaveBeenCalled();
    await user.click(dialog.getByRole("button", { name: "Renumber" }));
    expect(renumberHost).toHaveBeenCalledWith("edge-1");
  });

  it("is blocked for a viewer, and not offered where the host is not ahead", () => {
    show(AHEAD, 0, "viewer");
    expect(isBlocked(button("Renumber"))).toBe(true);
    show({ ...AHEAD, applied_generation: 7 });
    expect(screen.getAllByRole("button", { name: "Renumber" })).toHaveLength(1);
  });
});
