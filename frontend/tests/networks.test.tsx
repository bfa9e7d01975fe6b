/** Networks on the tab Shared cores: trained with a live curve, promoted after what gate C found, reverted, and why one
 * was reverted by itself. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { newestOfEach, readTraining, watchedText } from "@/laws/sfc2cpu/school-words";
import { live } from "@/live/store";
import { askedText, gamesText } from "@/studies/kinds/school/games";
import { host, snapshot } from "./fixtures";
import { promotion, REPORT, trained, WEIGHTS } from "./networks-fixtures";
import { expectAccessible } from "./plan-page";
import { hostCost, sharingHost } from "./shared-cores-fixtures";
import { study } from "./study-fixtures";

const wire = vi.hoisted(() => {
  const state = {
    networks: [] as unknown[],
    promotions: [] as unknown[],
    role: "operator",
    status: 200,
    cost: null as unknown,
    late: null as (() => void) | null,
  };
  const sent: { method: string; path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = typeof asked === "string" ? new Request(new URL(asked, "http://console")) : asked;
    const path = decodeURIComponent(new URL(request.url).pathname.replace("/api/v1", ""));
    const session = { username: "ada", csrf_token: "t", expires_at: "2036-01-01T00:00:00Z", issuer: null };
    if (request.method !== "GET") {
      sent.push({ method: request.method, path, body: JSON.parse((await request.text()) || "null") });
      const problem = { type: "urn:sextant:problem:networks-rest", title: "No network is promoted for a while" };
      const refused = {
        ...problem,
        status: 409,
        detail: "None is promoted before 16:00.",
        errors: [],
        next_actions: [],
      };
      return Response.json(state.status === 409 ? refused : {}, { status: state.status });
    }
    const answers: Record<string, () => unknown> = {
      "/auth/session": () => ({ ...session, role: state.role, must_change_password: false }),
      "/automation": () => ({ stopped: false, changed_at: "", changed_by: "ada", version: 1, laws: [] }),
      "/control/sfc2cpu/assigner": () => ({ algorithm: "min_max", why: "no host in service shares its cores" }),
      "/control/sfc2cpu/networks": () => ({ items: state.networks, next: null }),
      "/control/sfc2cpu/promotions": () => ({ items: state.promotions, next: null }),
      "/control/sfc2cpu/hosts/edge-1": () => ({ ...sharingHost({ assignable: 6, cores: [] }), cost: state.cost }),
    };
    if (path === "/control/sfc2cpu/hosts/edge-2") {
      await new Promise<void>((resolve) => {
        state.late = resolve;
      });
      return Response.json({ ...sharingHost({ host: "edge-2", assignable: 6, cores: [] }), cost: null });
    }
    const answer = answers[path];
    return answer ? Response.json(answer()) : new Promise<Response>(() => {});
  });
  return { state, sent };
});

beforeEach(() => {
  Object.assign(wire.state, { networks: [trained()], promotions: [], role: "operator", status: 200, cost: null });
  wire.sent.length = 0;
});
afterEach(cleanup);

async function open(studies = [study()], address = "/automation?tab=sfc2cpu"): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [host("edge-1")], studies })] }));
}

const user = userEvent.setup();

describe("trained networks", () => {
  it("stand with their exams beside round robin and LPT, and what gate C found", async () => {
    await open();
    const row = await screen.findByRole("row", { name: /664f30a36add/ });
    expect(row.textContent).toContain("93.9 % rr 83.7 %, LPT 97.6 %");
    expect(row.textContent).toContain("ideal model");
    expect(row.textContent).toContain("91.2 % rr 80.8 %, LPT 93.1 %");
    expect(screen.getByText(/^Gate C: .* no network is a default\.$/)).toBeTruthy();
    await expectAccessible(document.body);
  });

  it("are promoted only after a question that says what gate C found", async () => {
    await open();
    await user.click(await screen.findByRole("button", { name: "Promote network 664f30a36add" }));
    const dialog = await screen.findByRole("alertdialog");
    expect(dialog.textContent).toContain("5.2 % for 4 cores, 3.1 to 4.2 % for 8 and 2.8 to 3.9 % for 12");
    await user.click(within(dialog).getByRole("button", { name: "Promote" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(wire.sent[0]).toMatchObject({ method: "PUT", path: `/control/sfc2cpu/networks/${WEIGHTS}/promotion` });
  });

  it("say why one is not promoted", async () => {
    wire.state.status = 409;
    await open();
    await user.click(await screen.findByRole("button", { name: "Promote network 664f30a36add" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Promote" }));
    expect(await screen.findByText("None is promoted before 16:00.")).toBeTruthy();
  });

  it("are reverted, and say how one in force does on the hosts whose cores it assigned", async () => {
    const hosts = { "edge-1": { plan: 3, since: "", worse: 1, at: "", served: 0.95, round_robin: 1 } };
    Object.assign(wire.state, { networks: [trained({ in_force: true })], promotions: [promotion({ hosts })] });
    await open();
    const said = await screen.findByText(/In force for hosts with 4 cores/);
    expect(said.textContent).toContain(
      "edge-1: 95.0 % of packets, round robin 100.0 %, worse in 1 span of ten seconds.",
    );
    await user.click(screen.getByRole("button", { name: "Revert network 664f30a36add" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(wire.sent[0]).toMatchObject({ method: "DELETE", path: `/control/sfc2cpu/networks/${WEIGHTS}/promotion` });
  });

  it("a viewer sees and may not act", async () => {
    wire.state.role = "viewer";
    await open();
    const button = await screen.findByRole("button", { name: "Promote network 664f30a36add" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByRole("button", { name: "Train" }).getAttribute("aria-disabled")).toBe("true");
  });
});

describe("a banner", () => {
  const verdict = { host: "edge-1", served: 0.8231, round_robin: 1, at: "2026-11-29T13:07:10Z" };
  const ended = { ended: "worse", ended_by: "system", ended_at: "2026-11-29T13:07:21Z", verdict } as const;

  it("says why a network was reverted, and until when none is promoted", async () => {
    wire.state.promotions = [promotion({ ...ended, rests_until: "2036-01-01T00:00:00Z" })];
    await open();
    const banner = await screen.findByText(/was reverted/);
    expect(banner.textContent).toContain("82.3 % of the packets came out, where round robin would have served 100.0 %");
    expect(banner.textContent).toContain("No network is promoted for 4 cores before");
    expect((await screen.findByRole("row", { name: /664f30a36add/ })).textContent).toContain("reverted");
  });

  it("is gone once another one is promoted for as many cores, and not for others", async () => {
    wire.state.promotions = [
      promotion({ id: 5 }),
      promotion({ id: 4, ...ended }),
      promotion({ id: 2, cores: 8, ...ended }),
    ];
    await open();
    await screen.findByRole("row", { name: /664f30a36add/ });
    const banners = screen.getAllByText(/was reverted/);
    expect(banners.map(({ textContent }) => textContent?.includes("for 8 cores"))).toEqual([true]);
  });
});

describe("a training", () => {
  const progress = {
    done: 30_000,
    of: 60_000,
    what: "30,000 of 60,000 choices of cores",
    seconds_left: 40,
    curve: REPORT.curve,
  };
  const training = study({ id: 7, kind: "school", name: "school-4-cores", state: "running", progress });

  it("is asked for with cores of the host that is open", async () => {
    await open([], "/automation?tab=sfc2cpu&host=edge-1");
    await screen.findByText(/Every NF of this host has a core of its own/);
    await user.click(screen.getByRole("button", { name: "Train" }));
    const form = await screen.findByRole("dialog");
    expect(within(form).getByLabelText<HTMLInputElement>("Cores").value).toBe("6");
    for (const label of ["Games go by", "Length"]) expect(within(form).getByText(label)).toBeTruthy();
    await user.click(within(form).getByRole("radio", { name: "Steps" }));
    await user.clear(within(form).getByLabelText("Steps"));
    await user.type(within(form).getByLabelText("Steps"), "500");
    expect(within(form).getByText("From 1,000 to 2,000,000.")).toBeTruthy();
    await user.type(within(form).getByLabelText("Steps"), "0");
    await user.click(within(form).getByRole("button", { name: "Train" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(JSON.stringify(wire.sent[0]?.body)).toContain(
      JSON.stringify('kind = "school"\ncores = 6\nseed = 0\nlength = "short"\nsteps = 5000\n').slice(1, -1),
    );
  });

  it("has the cores of the host that is open also where these are known only later", async () => {
    await open([], "/automation?tab=sfc2cpu&host=edge-2");
    await user.click(await screen.findByRole("button", { name: "Train" }));
    const cores = within(await screen.findByRole("dialog")).getByLabelText<HTMLInputElement>("Cores");
    expect(cores.value).toBe("4");
    act(() => wire.state.late?.());
    await waitFor(() => expect(cores.value).toBe("6"));
    await user.clear(cores);
    await user.type(cores, "12");
    expect(cores.value).toBe("12");
  });

  it("may go by the costs in force on a host", async () => {
    wire.state.cost = hostCost();
    await open([], "/automation?tab=sfc2cpu&host=edge-1");
    await screen.findByText(/Every NF of this host has a core of its own/);
    await user.click(screen.getByRole("button", { name: "Train" }));
    const form = await screen.findByRole("dialog");
    await user.click(within(form).getByRole("radio", { name: "Fitted costs" }));
    expect((await within(form).findByText(/version 3, fitted/)).textContent).toContain(
      "up to 5.4 % in nine of ten of what a fit did not use, 21.0 % of types that it did not know. NFs of edge-1 may share 6 cores.",
    );
    await user.clear(within(form).getByLabelText("Cores"));
    await user.type(within(form).getByLabelText("Cores"), "12");
    await user.click(within(form).getByRole("button", { name: "Train" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(wire.sent[0]?.body).toEqual({
      scenario_toml:
        'name = "school-12-cores"\nsummary = "Train a network that assigns small NFs to 12 cores."\nkind = "school"\n' +
        'cores = 12\nseed = 0\nlength = "short"\n[cost]\nhost = "edge-1"\n',
    });
  });

  it("by costs is not sent before a host is chosen, nor where that has none, and the button says why", async () => {
    await open([], "/automation?tab=sfc2cpu");
    await user.click(await screen.findByRole("button", { name: "Train" }));
    const form = await screen.findByRole("dialog");
    await user.click(within(form).getByRole("radio", { name: "Fitted costs" }));
    const train = () => within(form).getByRole("button", { name: "Train" });
    const why = () => within(train().parentElement as HTMLElement).getByRole("tooltip").textContent;
    expect([train().getAttribute("aria-disabled"), why()]).toEqual(["true", "Choose a host."]);
    await user.click(within(form).getByRole("button", { name: /Costs of host/ }));
    await user.click(await screen.findByRole("option", { name: "edge-1" }));
    const lacking = "Costs beside others were never fitted on edge-1: Fit costs there first.";
    await waitFor(() => expect(within(form).getAllByText(lacking)).toHaveLength(2));
    expect([train().getAttribute("aria-disabled"), why()]).toEqual(["true", lacking]);
    await user.click(train());
    expect(wire.sent).toEqual([]);
    await expectAccessible(document.body);
  });

  it("says what the console answers where it refuses all the same", async () => {
    Object.assign(wire.state, { status: 409, cost: hostCost() });
    await open([], "/automation?tab=sfc2cpu&host=edge-1");
    await user.click(await screen.findByRole("button", { name: "Train" }));
    const form = await screen.findByRole("dialog");
    await user.click(within(form).getByRole("radio", { name: "Fitted costs" }));
    await within(form).findByText(/version 3, fitted/);
    await user.click(within(form).getByRole("button", { name: "Train" }));
    expect(await within(form).findByText("None is promoted before 16:00.")).toBeTruthy();
    await expectAccessible(document.body);
  });

  it("is drawn while it runs, and can be ended", async () => {
    await open([training]);
    const shown = await screen.findByRole("article", { name: "Training of study 7" });
    expect(shown.textContent).toContain("30,000 of 60,000 choices of cores, about 40 s left");
    expect(within(shown).getByRole("img", { name: /Packets served in 3 exams: 93.9 % in the last/ })).toBeTruthy();
    expect(within(shown).getByRole("img", { name: /How wrong it was/ })).toBeTruthy();
    await user.click(within(shown).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(wire.sent[0]?.path).toBe("/studies/7/cancellation"));
    await expectAccessible(document.body);
  });

  it("that was refused says why until another one is asked for", async () => {
    const error = {
      type: "urn:sextant:problem:study-refused",
      title: "The study cannot be run as it is written",
      status: 422,
      detail: "school trains with JAX, which is not installed",
      errors: [],
      next_actions: [],
      difference: null,
      instance: null,
      request_id: null,
    };
    await open([study({ id: 7, kind: "school", state: "refused", progress: null, error })]);
    expect(await screen.findByText(/trains with JAX, which is not installed/)).toBeTruthy();
  });
});

it("reads a training as a scenario file, and refuses what the scenario would", () => {
  const draft = { cores: "4", seed: "1", length: "long", steps: "", costOf: null } as const;
  expect(readTraining(draft).toml).toContain('length = "long"\n');
  expect(readTraining({ ...draft, cores: "1" }).errors.cores).toBeTruthy();
  expect(readTraining({ ...draft, cores: "4.5" }).toml).toBeNull();
  expect(readTraining({ ...draft, seed: "-1" }).errors.seed).toBeTruthy();
  expect(readTraining({ ...draft, costOf: "" }).errors.costOf).toBeTruthy();
  expect(readTraining({ ...draft, costOf: "edge-1" }).toml).toContain('\n[cost]\nhost = "edge-1"\n');
});

it("says by what games go", () => {
  const digest = `sha256:c80bce27${"0".repeat(56)}`;
  expect(gamesText({})).toBe("ideal model");
  expect(gamesText({ cost: { host: "edge-1", version: 3, digest } })).toBe("costs of edge-1, version 3");
  expect(gamesText({ cost: { host: null, version: null, digest } })).toBe("fitted cost c80bce27");
  expect(askedText({ host: "edge-1", version: 3 })).toBe("costs of edge-1, version 3");
});

it("of each number of cores the newest promotion counts", () => {
  const found = newestOfEach([promotion({ id: 1 }), promotion({ id: 3 }), promotion({ id: 2, cores: 2 })]);
  expect(found.map(({ id }) => id)).toEqual([2, 3]);
  expect(watchedText(promotion())).toBe("has assigned no host’s cores yet");
});
