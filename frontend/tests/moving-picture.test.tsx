/** The picture while an NF is to move: what is predicted on each core, where a click or a key plans the move. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const plans: unknown[] = [];
  const held: { plan: (() => void) | null; isHeld: boolean } = { plan: null, isHeld: false };
  globalThis.fetch = async (input) => {
    const request = input as Request;
    plans.push(JSON.parse(await request.text()));
    if (held.isHeld) await new Promise<void>((go) => (held.plan = go));
    return new Response(JSON.stringify({ id: 12 }), { status: 202 });
  };
  return { plans, held };
});
const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => went }));

import { moveTargetsQuery, sessionQuery } from "@/api/queries";
import type { MoveTargets, Session } from "@/api/types";
import { useLayerKeys } from "@/fleet/layer-keys";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { MovingPicture } from "@/hosts/moving-picture";
import type { HostData } from "@/hosts/use-host";
import { host, nf, nfSample, seat } from "./fixtures";

/** jsdom lays nothing out: the picture is as wide as a page, its corner at (0, 0). */
Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 900 });
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
const EDGE = 4;

type Target = MoveTargets["cores"][number];
const target = (core: number, rank: number | null, mpps: number, change: Partial<Target> = {}): Target => ({
  ...{ core, node: 0, rank, chain_mpps: mpps, change_mpps: mpps - 6, others_mpps: 0, why_not: null, worse: [] },
  ...change,
});
const worse = (breaks: boolean) => ({
  ...{ chain: "mail", what: "throughput" as const, before_mpps: 2, after_mpps: 1, detail: "2.00 -> 1.00 Mpps" },
  breaks_slo: breaks,
});

/** web.router stands on core 0 and its chain carries 6 Mpps; it may go to cores 1, 2 and 3. */
const TARGETS: MoveTargets = {
  ...{ nf_id: "web.router", chain: "web", host: "h", core: 0, now_mpps: 6, predictor: "octans", note: null },
  cores: [
    target(0, null, 6, { why_not: "it stands there" }),
    target(1, 2, 6.5, { worse: [worse(false)] }),
    target(2, 1, 8),
    target(3, 3, 5, { worse: [worse(true)] }),
    target(4, null, 0, { why_not: "its slot is taken" }),
  ],
};

function dataOf(): HostData {
  const view = host("h", 1, 5);
  const one = nf("web.router", "h", 0, { seat: seat("h", 0), sample: nfSample("web.router") });
  const layer = layerOf("cpu");
  return {
    host: view,
    model: modelOf(view, new Map([[one.nf_id, one]]), layer, new Set(["web.router"]), "labelled"),
    nfs: [one],
    chains: [],
    letters: new Map([["web", "A"]]),
    violations: [],
    figures: "live",
    layer,
    predictions: { forecasts: undefined, problem: null },
  } as unknown as HostData;
}

function placeOf(drawn: Element | undefined): { x: number; y: number } {
  const [, x, y] = /translate\(([\d.]+) ([\d.]+)\)/.exec(drawn?.getAttribute("transform") ?? "") ?? [];
  return { x: Number(x), y: Number(y) };
}

function show(options: { role?: "viewer" | "operator"; moving?: string } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const { role = "operator", moving = "web.router" } = options;
  const session: Session = {
    username: "u",
    role,
    csrf_token: "t",
    expires_at: "2126-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(moveTargetsQuery("web.router").queryKey, TARGETS);
  const onPin = vi.fn();
  const { container } = render(
    <QueryClientProvider client={client}>
      <MovingPicture data={dataOf()} pinned={null} onPin={onPin} moving={moving} />
    </QueryClientProvider>,
  );
  /** From left to right, which is by number. */
  const marks = () =>
    [...container.querySelectorAll(".move-mark")]
      .sort((a, b) => placeOf(a).x - placeOf(b).x)
      .map((mark) => ({
        tone: mark.classList[1],
        words: [...mark.querySelectorAll("text")].map(({ textContent }) => textContent),
      }));
  /** The middle of a core's cell on the screen; five cells of one height stand side by side, by number. */
  const middleOf = (core: number) => {
    const cell = container.querySelectorAll("g.cell")[core];
    const { x, y } = placeOf(cell);
    const [w, h] = ["width", "height"].map((name) => Number(cell?.querySelector("rect")?.getAttribute(name)));
    return { clientX: x + (w ?? 0) / 2 + EDGE, clientY: y + (h ?? 0) / 2 + EDGE };
  };
  const picture = screen.getByTestId("host-picture");
  return { onPin, marks, picture, click: (core: number) => fireEvent.click(picture, middleOf(core)) };
}

beforeEach(() => {
  wire.plans.length = 0;
  wire.held.isHeld = false;
  went.mockClear();
});

describe("the picture while an NF is to move", () => {
  it("says on each core that can take it what its chain would carry and its rank, and what it would make worse", () => {
    const { marks } = show();
    expect(marks()).toEqual([
      { tone: "warn", words: ["6.50", "rank 2"] },
      { tone: "ok", words: ["8.00", "best"] },
      { tone: "bad", words: ["5.00", "rank 3"] },
    ]);
  });

  it("plans the move to the core that is clicked, and pins nothing", async () => {
    const { click, onPin } = show();
    click(2);
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/plans/$planId", params: { planId: "12" } }));
    expect(wire.plans).toMatchObject([{ intent: { kind: "migrate", nf_id: "web.router", host: "h", core: 2 } }]);
    expect(onPin).not.toHaveBeenCalled();
  });

  it("pins a core that cannot take it, as without a move", () => {
    const { click, onPin } = show();
    click(4);
    expect(onPin).toHaveBeenCalledWith("4/0");
    expect(wire.plans).toEqual([]);
  });

  it("offers nothing more while the plan is asked for: two clicks are one plan", async () => {
    wire.held.isHeld = true;
    const { click, marks } = show();
    click(2);
    await waitFor(() => expect(marks()).toEqual([]));
    click(1);
    wire.held.plan?.();
    await waitFor(() => expect(went).toHaveBeenCalledTimes(1));
    expect(wire.plans).toHaveLength(1);
  });

  it("takes arrow keys and Enter, and says what a core is worth to who cannot see it", async () => {
    const user = userEvent.setup();
    const { picture } = show();
    picture.focus();
    await user.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
    expect(picture.querySelector("[aria-live]")?.textContent).toMatch(/^Move here: 6.00 → 8.00 Mpps, predicted/);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(wire.plans).toMatchObject([{ intent: { core: 2 } }]));
  });

  it("ends with Escape: in the picture, and anywhere on the page", async () => {
    const user = userEvent.setup();
    const { picture, onPin } = show();
    picture.focus();
    await user.keyboard("{Escape}");
    expect(onPin).toHaveBeenCalledWith(null);
    const set = vi.fn();
    renderHook(() => useLayerKeys(set, undefined));
    picture.blur();
    await user.keyboard("{Escape}");
    expect(Object.keys(set.mock.calls[0]?.[0] ?? {})).toEqual(["pin", "move"]);
  });

  it("shows a viewer no targets: a click pins", () => {
    const { marks, click, onPin } = show({ role: "viewer" });
    expect(marks()).toEqual([]);
    click(2);
    expect(onPin).toHaveBeenCalledWith("2/0");
    expect(wire.plans).toEqual([]);
  });

  it("is a picture as any for an NF that is not there any more", () => {
    expect(show({ moving: "web.gone" }).marks()).toEqual([]);
  });
});
