/** Parts of the NF types' pages: the form, promoting, removing. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

/** What the page sends, as the console would get it; set before the client is made. */
const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; tag: string | null; body: unknown }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    const text = await request.text();
    sent.push({
      method: request.method,
      path,
      tag: request.headers.get("If-Match"),
      body: text ? JSON.parse(text) : null,
    });
    const answer = answers.get(`${request.method} ${path}`) ?? { status: 200, body: { items: [], next: null } };
    return new Response(answer.status === 204 ? null : JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));
vi.mock("@/live/freshness", () => ({ useStaleReason: () => null, useNow: () => Date.parse("2026-11-21T10:05:00Z") }));

import { fitQuery } from "@/api/model-queries";
import { sessionQuery } from "@/api/queries";
import type { PromotionPreview } from "@/api/types";
import { RemoveType } from "@/nf-types/remove-type";
import { ScoresSection } from "@/nf-types/scores-table";
import { type Stored, TypeForm } from "@/nf-types/type-form";
import { VersionsTable } from "@/nf-types/versions-table";
import { fitView, modelVersion, nfType } from "./nf-type-fixtures";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
});

function show(children: ReactNode, role: "operator" | "viewer" = "operator") {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const session = {
    username: "ops-1",
    role,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(fitQuery(9).queryKey, fitView(9, "cycles", 100, [modelVersion({ id: 2, fit_id: 9 })]));
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}

const firewall = nfType("firewall", { synthetic_rules: 100 });
const edge = nfType("edge", { synthetic_rules: 5000 }, "firewall");
const refusal = (status: number, kind: string, errors: { field: string; message: string }[]) => ({
  status,
  body: {
    type: `urn:sextant:problem:${kind}`,
    title: kind,
    status,
    detail: "why",
    errors,
    next_actions: [] as { label: string }[],
  },
});

function Form({ stored = null, onDone }: { stored?: Stored | null; onDone: () => void }): ReactNode {
  return (
    <TypeForm
      builtIn={[firewall]}
      stored={stored}
      implementation="firewall"
      onDone={onDone}
      onReread={() => undefined}
    />
  );
}

describe("registering an NF type", () => {
  it("sends what is filled in", async () => {
    wire.answers.set("POST /nf-types", { status: 201, body: edge });
    const done = vi.fn();
    const { container } = show(<Form onDone={done} />);
    await expectAccessible(container);
    await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "edge");
    await userEvent.type(screen.getByRole("textbox", { name: "Configuration" }), '{{"synthetic_rules": 5000}');
    await userEvent.click(screen.getByRole("button", { name: "Register" }));
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    const asked = { name: "edge", implementation: "firewall", config: { synthetic_rules: 5000 } };
    expect(wire.sent[0]).toMatchObject({ method: "POST", path: "/nf-types", body: asked });
  });

  it("sends nothing that is wrong, and shows beside the field what the console refuses", async () => {
    wire.answers.set(
      "POST /nf-types",
      refusal(422, "validation", [{ field: "config.synthetic_rules", message: "'many' is not an integer" }]),
    );
    show(<Form onDone={() => undefined} />);
    await userEvent.click(screen.getByRole("button", { name: "Register" }));
    expect(screen.getByText("a name is needed")).toBeDefined();
    expect(wire.sent).toEqual([]);
    await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "edge");
    await userEvent.click(screen.getByRole("button", { name: "Register" }));
    await screen.findByText("synthetic_rules: 'many' is not an integer");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("changing an NF type", () => {
  it("names the tag it was read with, and says that another configuration is another version", async () => {
    wire.answers.set("PUT /nf-types/edge", { status: 200, body: edge });
    const done = vi.fn();
    show(<Form stored={{ type: edge, tag: '"abc"' }} onDone={done} />);
    expect(screen.getByText("Nothing has been changed.")).toBeDefined();
    const config = screen.getByRole("textbox", { name: "Configuration" });
    await userEvent.clear(config);
    await userEvent.type(config, '{{"synthetic_rules": 7}');
    expect(screen.getByText(/version 1 → 2/)).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(done).toHaveBeenCalledOnce());
    expect(wire.sent[0]).toMatchObject({ method: "PUT", tag: '"abc"', body: { config: { synthetic_rules: 7 } } });
  });

  it("offers to read it again where somebody else changed it", async () => {
    wire.answers.set("PUT /nf-types/edge", refusal(412, "precondition-failed", []));
    show(<Form stored={{ type: edge, tag: '"abc"' }} onDone={() => undefined} />);
    await userEvent.clear(screen.getByRole("textbox", { name: "Configuration" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByRole("button", { name: "Discard these changes and reload" });
  });
});

describe("promoting a model", () => {
  const versions = [
    modelVersion({ id: 2, fit_id: 9 }),
    modelVersion({ id: 1, fit_id: 4, state: "promoted" }),
    modelVersion({ id: 3, fit_id: 3, state: "refused", refusals: ["too few samples: 1 of 2 'local'"] }),
  ];
  const table = <VersionsTable versions={versions} shown={9} onShow={() => undefined} />;

  const preview = (part: Partial<PromotionPreview>) => ({
    status: 200,
    body: { promotes: [], retires: [], skips: [], ...part } satisfies PromotionPreview,
  });
  const replaces = preview({ promotes: [{ nf_type: "edge", fit_id: 4 }] });

  it("says what changes before it is done, and orders it with the fit's version", async () => {
    wire.answers.set("GET /fits/9/promotion?nf_type=edge", replaces);
    wire.answers.set("POST /fits/9/promotion", { status: 200, body: fitView(9, "cycles", 100, []) });
    const { container } = show(table);
    await expectAccessible(container);
    await userEvent.click(screen.getByRole("button", { name: "Promote fit 9" }));
    expect((await screen.findByText(/fit 4 →/)).textContent).toBe("fit 4 → fit 9");
    await userEvent.click(screen.getByRole("button", { name: "Promote edge" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(wire.sent.find(({ method }) => method === "POST")).toMatchObject({
      path: "/fits/9/promotion",
      tag: '"3"',
      body: { nf_types: ["edge"] },
    });
  });

  it("of another scale is refused by the console's word; of the whole fit says what retires and what is left out", async () => {
    const mixed = "its metric and scale are not those of the models in use: router (fit 5)";
    const refused = refusal(409, "not-promotable", [{ field: "nf_types.edge", message: mixed }]);
    refused.body.next_actions = [{ label: "Promote the whole fit instead" }];
    wire.answers.set("GET /fits/9/promotion?nf_type=edge", refused);
    wire.answers.set(
      "GET /fits/9/promotion",
      preview({
        promotes: [{ nf_type: "edge", fit_id: null }],
        retires: [{ nf_type: "router", fit_id: 5 }],
        skips: [{ nf_type: "nids", why: "too few samples" }],
      }),
    );
    show(table);
    await userEvent.click(screen.getByRole("button", { name: "Promote fit 9" }));
    expect((await screen.findAllByText(mixed)).length).toBeGreaterThan(0);
    expect(screen.getByText("Promote the whole fit instead")).toBeDefined();
    expect(screen.getByRole("button", { name: "Promote edge" }).getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(screen.getByRole("radio", { name: "The whole fit" }));
    expect((await screen.findByText(/assumed figures →/)).textContent).toBe("assumed figures → fit 9");
    expect(screen.getByText("fit 5 → assumed figures: its metric and scale differ")).toBeDefined();
    expect(screen.getByText("left out: too few samples")).toBeDefined();
    expect(screen.getByRole("button", { name: "Promote the whole fit" }).getAttribute("aria-disabled")).not.toBe(
      "true",
    );
  });

  it("says why what would change is not known", async () => {
    wire.answers.set("GET /fits/9/promotion?nf_type=edge", refusal(404, "not-found", []));
    show(table);
    await userEvent.click(screen.getByRole("button", { name: "Promote fit 9" }));
    expect((await screen.findByRole("alert")).textContent).toContain("not-found");
    expect(screen.getByRole("button", { name: "Promote edge" }).getAttribute("aria-disabled")).toBe("true");
  });

  it("is not offered for a model that is in use or refused, nor to a viewer; each says why", () => {
    show(table);
    expect(screen.getByText("Plans use it already.")).toBeDefined();
    expect(screen.getByText("too few samples: 1 of 2 'local'")).toBeDefined();
    expect(screen.getByRole("button", { name: "Promote fit 4" }).getAttribute("aria-disabled")).toBe("true");
  });

  it("is an operator's", () => {
    show(table, "viewer");
    expect(screen.getByText("Needs the role operator. You are viewer.")).toBeDefined();
  });
});

describe("removing an NF type", () => {
  it("asks first, and shows which chains stand in its way", async () => {
    wire.answers.set("DELETE /nf-types/edge", refusal(409, "nf-type-in-use", []));
    show(<RemoveType type={edge} tag={'"abc"'} />);
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove edge" }));
    await screen.findByText("nf-type-in-use");
    expect(wire.sent[0]).toMatchObject({ method: "DELETE", tag: '"abc"' });
    expect(went).not.toHaveBeenCalled();
  });
});

describe("held-out errors", () => {
  const score = (predictor: string, unpredicted: number | null) => ({
    predictor,
    split: "nf" as const,
    nf_type: "edge",
    samples: 14,
    unpredicted,
    error_points: 2,
    error_p95_points: null,
    relative_percent: null,
    throughput_percent: null,
  });
  const shown = (unpredicted: number | null) =>
    show(<ScoresSection scores={[score("octans", unpredicted && 0), score("curves", unpredicted)]} of="edge" />);

  it("say how many samples a predictor did not predict, as all are scored on the others", () => {
    const { container } = shown(26);
    expect(screen.getByRole("row", { name: /curves/ }).textContent).toMatch(/14, 26 not predicted$/);
    expect(screen.getByRole("row", { name: /Octans/ }).textContent).toMatch(/14$/);
    expect(container.textContent).toContain("on samples that all of them predict");
  });

  it("are no rows where nothing was held out", () => {
    const none = { ...score("octans", null), samples: 0, error_points: null };
    const { container } = show(<ScoresSection scores={[none]} of="edge" />);
    expect(container.textContent).toContain("Too few samples to hold any out");
    expect(screen.queryByRole("table")).toBeNull();
  });

  it("say nothing of that on a fit of an earlier version", () => {
    expect(shown(null).container.textContent).not.toMatch(/not predicted|that all of them predict/);
  });
});
