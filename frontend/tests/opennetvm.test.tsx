/** OpenNetVM's files: chains from a group file, a placement as start commands. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

/** What the page sends, as the console would get it; set before the client is made. */
const wire = vi.hoisted(() => {
  const sent: { path: string; body: unknown }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = `${request.method} ${request.url.slice(request.url.indexOf("/api/v1") + 7)}`;
    const text = await request.text();
    sent.push({ path, body: text ? JSON.parse(text) : null });
    const answer = answers.get(path) ?? { status: 404, body: null };
    return new Response(answer.body === null ? null : JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
}));

import { sessionQuery } from "@/api/queries";
import type { ChainSpec, PlanBody, StartCommands } from "@/api/types";
import { check } from "@/chains/draft";
import { live } from "@/live/store";
import { draftOf, sorted } from "@/opennetvm/group-files";
import { ImportGroup } from "@/opennetvm/import-group";
import { HostStartCommands, PlanStartCommands } from "@/opennetvm/start-commands";
import { snapshot } from "./fixtures";

const GROUP = '{"firewall": [{"parameters": "1 -d 2 -f rules.json"}], "basic_monitor": [{"parameters": "2"}]}';
const RULES = '{"rule0": {"ip": "10.1.0.0", "depth": 16, "action": 1}}';

function spec(name: string): ChainSpec {
  const draft = draftOf({
    name,
    nfs: [
      { type: "firewall", name: "fw", config: { default_action: "deny" } },
      { type: "basic-monitor", name: "basic-monitor", config: {} },
    ],
    traffic: { rate_mpps: 0.1, packet_bytes: 64, flows: 1000 },
  } as unknown as ChainSpec);
  const { spec: checked } = check(draft);
  if (!checked) throw new Error("the draft of an imported chain does not fit its own form");
  return checked;
}

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  URL.createObjectURL = () => "blob:x";
  URL.revokeObjectURL = () => undefined;
  live.receive({ type: "events", events: [snapshot()] });
});

function show(children: ReactNode, role: "viewer" | "operator" = "operator") {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const session = {
    username: "ops-1",
    role,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

async function expectNoSerious(element: Element): Promise<void> {
  const { violations } = await axe.run(element, { rules: { "color-contrast": { enabled: false } } });
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
}

describe("files of a group", () => {
  it("are told apart by what is in them, in whatever order they come", () => {
    const [group, rules] = [
      { name: "a.json", text: GROUP },
      { name: "rules.json", text: RULES },
    ];
    expect(sorted([rules, group])).toEqual({ group, others: [rules] });
    expect(sorted([rules])).toEqual({ group: rules, others: [] });
    expect(sorted([])).toBeNull();
  });

  it("become what the form holds, and the form sends the same chain", () => {
    const draft = draftOf(spec("web"));
    expect(draft.nfs.map(({ name, config }) => [name, config])).toEqual([
      ["fw", '{\n  "default_action": "deny"\n}'],
      ["basic-monitor", ""],
    ]);
    expect([draft.rate, draft.packetBytes, draft.flows]).toEqual(["0.1", "64", "1000"]);
    expect(check(draft).spec).toEqual(spec("web"));
  });
});

describe("importing a group file", () => {
  async function choose(names: readonly string[], taken = false) {
    const found = names.map((name, at) => ({ spec: spec(name), services: [2 * at + 1, 2 * at + 2], taken }));
    const notes = [{ at: "firewall.0.parameters", message: "-l 5: planning chooses cores" }];
    wire.answers.set("POST /chains/imports", { status: 200, body: { chains: found, notes } });
    const filled = vi.fn();
    show(<ImportGroup onDraft={filled} />);
    await userEvent.click(screen.getByRole("button", { name: "Import group file" }));
    const input = document.querySelector<HTMLInputElement>("input[type=file]");
    if (!input) throw new Error("there is nothing to choose a file with");
    await userEvent.upload(input, [new File([RULES], "rules.json"), new File([GROUP], "group.json")]);
    return filled;
  }

  it("sends the group and what its NFs read, and fills the form with one", async () => {
    const filled = await choose(["web"]);
    await screen.findByText("-l 5: planning chooses cores");
    expect(wire.sent[0]?.body).toEqual({ format: "opennetvm-group", text: GROUP, files: { "rules.json": RULES } });
    await expectNoSerious(screen.getByRole("dialog"));
    await userEvent.click(screen.getByRole("button", { name: "Fill the form with web" }));
    expect(filled).toHaveBeenCalledExactlyOnceWith(draftOf(spec("web")));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("submits several, and goes on where one was refused", async () => {
    await choose(["web-1", "web-2"]);
    const problem = {
      type: "urn:sextant:problem:name-taken",
      title: "The name is taken",
      detail: "web-1",
      status: 409,
    };
    wire.answers.set("POST /chains", { status: 409, body: problem });
    await userEvent.click(await screen.findByRole("button", { name: "Submit 2 chains and plan" }));
    await screen.findByText("The name is taken");
    wire.answers.set("POST /chains", { status: 201, body: { plan_id: 7 } });
    await userEvent.click(screen.getByRole("button", { name: "Submit 2 chains and plan" }));
    await waitFor(() => expect(screen.getAllByText("plan 7")).toHaveLength(2));
    const names = wire.sent.slice(1).map(({ body }) => (body as ChainSpec).name);
    expect(names).toEqual(["web-1", "web-1", "web-2"]);
  });

  it("says which names are taken, and shows what is refused with its place", async () => {
    await choose(["web"], true);
    await screen.findByText(/is taken: rename it in the form/);
    const errors = [{ field: "text.firewall.0", message: "-d is missing" }];
    const refused = { type: "urn:sextant:problem:validation", title: "Fields", detail: "Refused", status: 422, errors };
    wire.answers.set("POST /chains/imports", { status: 422, body: refused });
    const input = document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
    await userEvent.upload(input, [new File([GROUP], "group.json")]);
    await screen.findByText("text.firewall.0");
    expect(screen.getByRole("alert").textContent).toContain("-d is missing");
  });

  it("refuses a file that is too large before it is sent", async () => {
    show(<ImportGroup onDraft={() => undefined} />);
    await userEvent.click(screen.getByRole("button", { name: "Import group file" }));
    const input = document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
    await userEvent.upload(input, [new File([" ".repeat(256 * 1024 + 1)], "group.json")]);
    await screen.findByText("The file is too large");
    expect(wire.sent).toEqual([]);
  });

  it("needs an operator", async () => {
    show(<ImportGroup onDraft={() => undefined} />, "viewer");
    await userEvent.click(screen.getByRole("button", { name: "Import group file" }));
    expect(screen.getByRole("tooltip").textContent).toContain("Needs the role operator");
  });
});

describe("start commands", () => {
  const commands: StartCommands = {
    host: "edge-1",
    shell: "#!/bin/sh\nbegin web\n",
    group: '{"globals": []}\n',
    group_manager: "./onvm_mgr -p 1",
    group_files: { "firewall/web.fw.rules.json": RULES },
    refusals: [
      {
        chain: "shop",
        nf_id: "shop.r",
        field: "type",
        message: "OpenNetVM has no NF like 'router'",
        group_only: false,
      },
      { chain: "web", nf_id: null, field: "nfs", message: "two share core 4", group_only: true },
    ],
    notes: ["web.m: is written as flow_tracker"],
  };
  const open = () => userEvent.click(screen.getByRole("button", { name: "Start commands" }));

  it("of a host: the script, what is left out, and the group file with its own refusals and files", async () => {
    wire.answers.set("GET /hosts/edge-1/start-commands", { status: 200, body: commands });
    show(<HostStartCommands host="edge-1" />, "viewer");
    await open();
    expect((await screen.findByRole("region", { name: "Script" })).textContent).toBe(commands.shell);
    expect(screen.getByRole("alert").textContent).toContain("shop.r: type OpenNetVM has no NF like 'router'");
    expect(screen.getByRole("alert").textContent).not.toContain("two share core 4");
    expect(screen.getByText("web.m: is written as flow_tracker")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Download" }).getAttribute("download")).toBe("edge-1.sh");
    await expectNoSerious(screen.getByRole("dialog"));
    await userEvent.click(screen.getByRole("radio", { name: "Group file" }));
    expect(screen.getByRole("region", { name: "Group file" }).textContent).toBe(commands.group);
    expect(screen.getByRole("alert").textContent).toContain("two share core 4");
    expect(screen.getByText("./onvm_mgr -p 1")).toBeTruthy();
    const file = screen.getByRole("link", { name: "firewall/web.fw.rules.json" });
    expect(file.getAttribute("download")).toBe("web.fw.rules.json");
  });

  it("of a plan: of the host that is chosen", async () => {
    const target = (host: string) => ({ content: { host_id: host, chains: [] }, generation: 1, digest: "" });
    const body = { target: [target("edge-1"), target("edge-2")] } as unknown as PlanBody;
    wire.answers.set("GET /plans/4/start-commands?host=edge-1", { status: 200, body: commands });
    wire.answers.set("GET /plans/4/start-commands?host=edge-2", {
      status: 200,
      body: { ...commands, shell: "second" },
    });
    show(<PlanStartCommands id={4} body={body} />);
    await open();
    await screen.findByRole("region", { name: "Script" });
    await userEvent.click(screen.getByRole("button", { name: /Host/ }));
    await userEvent.click(await screen.findByRole("option", { name: "edge-2" }));
    await waitFor(() => expect(screen.getByRole("region", { name: "Script" }).textContent).toBe("second"));
  });

  it("of a host without an order say why there are none", async () => {
    const problem = { type: "urn:sextant:problem:nothing-to-start", title: "Nothing", detail: "why", status: 409 };
    wire.answers.set("GET /hosts/edge-1/start-commands", { status: 409, body: problem });
    show(<HostStartCommands host="edge-1" />);
    await open();
    expect((await screen.findByRole("alert")).textContent).toContain("why");
  });
});
