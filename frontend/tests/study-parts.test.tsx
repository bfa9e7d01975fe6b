/** Parts of the pages of studies: the editor, what is drawn, what may be done. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

/** What the page sends, as the console would get it; set before the client is made. */
const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; body: unknown; match: string | null }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    const text = await request.text();
    const match = request.headers.get("If-Match");
    sent.push({ method: request.method, path, body: text ? JSON.parse(text) : null, match });
    const answer = answers.get(`${request.method} ${path}`) ?? { status: 404, body: null };
    return new Response(answer.body === null ? null : JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());
const search = vi.hoisted(() => ({ now: {} as object }));

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
  getRouteApi: () => ({ useSearch: () => search.now, useParams: () => ({ id: "3" }) }),
}));

import { plainProblem } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import { live } from "@/live/store";
import { StudyPage } from "@/pages/study";
import { StudyNewPage } from "@/pages/study-new";
import { CarriedSection } from "@/studies/carried";
import { PredictedSections } from "@/studies/predicted";
import { SecondsSection } from "@/studies/seconds-strips";
import { StudiesTable } from "@/studies/studies-table";
import { StudyActions } from "@/studies/study-actions";
import { OriginSection } from "@/studies/study-side";
import { snapshot } from "./fixtures";
import { estimate, placed, predictedChain, result, SCENARIO, SUMMARY, study } from "./study-fixtures";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
  search.now = {};
  sessionStorage.clear();
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

describe("a study that is written", () => {
  const editor = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Scenario" });

  it("is sent as it stands, and its page is gone to", async () => {
    wire.answers.set("POST /studies", { status: 202, body: study({ id: 9 }) });
    show(<StudyNewPage />);
    const text = 'name = "mine"\n';
    await userEvent.clear(editor());
    await userEvent.click(editor());
    await userEvent.paste(text);
    await userEvent.click(screen.getByRole("button", { name: "Run study" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/studies/$id", params: { id: "9" } }));
    expect(wire.sent[0]).toMatchObject({ method: "POST", path: "/studies", body: { scenario_toml: text } });
    expect(sessionStorage.length).toBe(0);
  });

  it("is refused beside its line, which can be gone to", async () => {
    const errors = [{ field: "scenario_toml.seeds.0", message: "should be an integer" }];
    const problem = { ...plainProblem("validation", "Refused", "Because of seeds", 422), errors };
    wire.answers.set("POST /studies", { status: 422, body: problem });
    const { container } = show(<StudyNewPage />);
    await userEvent.click(screen.getByRole("button", { name: "Run study" }));
    expect(await screen.findByText("seeds.0: should be an integer")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /^Go to line/ }));
    const { value, selectionStart, selectionEnd } = editor();
    expect(value.slice(selectionStart, selectionEnd)).toBe("seeds = [1, 2, 3]");
    await expectNoSerious(container);
    // What was refused was another text.
    await userEvent.type(editor(), " ");
    expect(screen.queryByText(/should be an integer/)).toBeNull();
  });

  it("is had back after an example took its place, and after a reload", async () => {
    const { unmount } = show(<StudyNewPage />);
    await userEvent.clear(editor());
    await userEvent.type(editor(), "# mine");
    unmount();
    show(<StudyNewPage />);
    expect(editor().value).toBe("# mine");
    await userEvent.click(screen.getByRole("button", { name: "Prediction error" }));
    expect(editor().value).toContain('name = "prediction-error"');
    await userEvent.click(screen.getByRole("button", { name: "Back to what was written" }));
    expect(editor().value).toBe("# mine");
  });

  it("begins with the scenario of another", async () => {
    search.now = { from: 3 };
    wire.answers.set("GET /studies/3/scenario", { status: 200, body: { toml: "# theirs", scenario: SCENARIO } });
    show(<StudyNewPage />);
    await waitFor(() => expect(editor().value).toBe("# theirs"));
  });

  it("is not sent by a viewer, nor where it is too large or empty", async () => {
    show(<StudyNewPage />, "viewer");
    const run = () => screen.getByRole("button", { name: "Run study" });
    await userEvent.click(run());
    expect(wire.sent).toEqual([]);
    expect(screen.getByRole("tooltip").textContent).toMatch(/Needs the role operator/);
    await userEvent.clear(editor());
    expect(screen.getByRole("tooltip").textContent).toMatch(/There is no scenario/);
    await userEvent.click(editor());
    // 65 537 bytes, one more than the console takes; two bytes a letter but one.
    await userEvent.paste(`${"ä".repeat(32_768)}x`);
    expect(screen.getByRole("tooltip").textContent).toMatch(/the most is 66 kB/);
  });
});

describe("a study that runs", () => {
  it("says how far it is, what it does and how long it will take, as the stream reports", async () => {
    wire.answers.set("GET /studies/3", { status: 200, body: study() });
    show(<StudyPage />);
    const progress = await screen.findByRole("region", { name: "Progress" });
    expect(within(progress).getByText("1 of 4 steps")).toBeTruthy();
    expect(within(progress).getByText("about 12 s")).toBeTruthy();
    const next = { done: 3, of: 4, what: "draw centre, seed 2: edge", seconds_left: 4 };
    live.receive({ type: "events", events: [{ event: "study", study: study({ version: 6, progress: next }) }] });
    expect(await within(progress).findByText("3 of 4 steps")).toBeTruthy();
    expect(within(progress).getByText("draw centre, seed 2: edge")).toBeTruthy();
  });

  it("can be cancelled and not repeated; what has ended the other way round", async () => {
    wire.answers.set("POST /studies/3/cancellation", { status: 202, body: study({ cancel_requested: true }) });
    const { unmount } = show(<StudyActions study={study()} />);
    expect(screen.getByRole("button", { name: "Repeat" }).getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/studies/3/cancellation"));
    unmount();

    wire.answers.set("POST /studies/3/repetition", { status: 202, body: study({ id: 8 }) });
    wire.answers.set("DELETE /studies/3", { status: 204, body: null });
    show(<StudyActions study={study({ state: "done", version: 7 })} />);
    await userEvent.click(screen.getByRole("button", { name: "Repeat" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/studies/$id", params: { id: "8" } }));
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove study 3" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/studies" }));
    expect(wire.sent.find(({ method }) => method === "DELETE")?.match).toBe('"7"');
  });

  it("shows beside its cause why the console refused to repeat it", async () => {
    const problem = plainProblem("too-many-studies", "There is no room for a further study", "500 are kept", 409);
    wire.answers.set("POST /studies/3/repetition", { status: 409, body: problem });
    show(<StudyActions study={study({ state: "done" })} />);
    await userEvent.click(screen.getByRole("button", { name: "Repeat" }));
    expect(await screen.findByRole("alert")).toHaveProperty("textContent", expect.stringContaining("500 are kept"));
  });
});

describe("what a study found", () => {
  it("is carried beside predicted, each with its interval, and as a table", async () => {
    const { container } = show(<CarriedSection summary={SUMMARY} />);
    expect(screen.getByRole("img", { name: /by set and algorithm: edge/ }).textContent).toContain("12.0 ± 0.50");
    await userEvent.click(screen.getByText("As a table, 2 rows"));
    const rows = within(screen.getByRole("table", { name: "Carried and predicted" })).getAllByRole("row");
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      "SetAlgorithmcarried, Mppspredicted, Mpps",
      "edgeexact12.0 ± 0.5014.0",
      "edgenode_first10.0 ± 0.5011.0 ± 0.50",
    ]);
    await userEvent.click(screen.getByText("Close up"));
    expect(screen.getByRole("img", { name: /by set/ }).textContent).toContain("the axis does not begin at 0");
    await expectNoSerious(container);
  });

  it("is predicted against carried, by predictor and set; what one knows nothing of is not drawn", async () => {
    const rows = [
      predictedChain(0, 9, { octans: 8, "zero-drop": 10 }),
      predictedChain(1, 7, { octans: 7.5, "zero-drop": 10 }),
      predictedChain(2, 6, { octans: null, "zero-drop": 10 }),
    ];
    const errors = (predictor: string, points: number) => ({
      predictor,
      points: estimate(points),
      throughput_percent: estimate(4),
      relative_percent: null,
      informative: 0,
    });
    const summary = {
      ...SUMMARY,
      kind: "prediction" as const,
      predictors: [errors("octans", 7.5), errors("zero-drop", 27)],
    };
    const { container } = show(<PredictedSections result={result({ predictions: rows })} summary={summary} />);
    expect(screen.getByRole("img", { name: /predicted by Octans over Mpps carried, 2 chains/ })).toBeTruthy();
    // 9 - 8 and 7 - 7.5 of 10 Mpps alone are +10 and -5 points.
    const table = screen.getByRole("table", { name: "Predictors" });
    expect(within(table).getByRole("img", { name: /^Octans: median \+2\.5/ })).toBeTruthy();
    expect(within(table).getAllByRole("row")[1]?.textContent).toContain("7.5 ± 0.50");
    await expectNoSerious(container);
  });

  it("is drawn second by second where time passes, and not where it does not", () => {
    const time = { seconds: 5, changes: [{ at_s: 2, chain: 0, mpps: 3 }] };
    const found = result({ placed: [placed("exact", 1, [4, 4, 2, 2, 2])] });
    const { unmount } = show(<SecondsSection result={found} runs={1} />);
    expect(screen.queryByRole("region")).toBeNull();
    unmount();
    show(<SecondsSection result={{ ...found, scenario: { ...SCENARIO, time } }} runs={1} />);
    // (4 + 4 + 2 + 2 + 2) / 5 = 2.8
    expect(screen.getByRole("img", { name: "Mpps in each of 5 s: exact, mean 2.8" })).toBeTruthy();
    expect(screen.getByText("Traffic changes: at 2 s chain 1 is offered 3 Mpps.")).toBeTruthy();
  });

  it("says what of its origin is not as in the study that it repeats", () => {
    const repeated = { equal: false, differs: ["numpy"] };
    const repetition = study({ state: "done", repeat_of: 2, repeated });
    show(
      <>
        <OriginSection study={repetition} origin={result().origin} />
        <StudiesTable studies={[repetition]} sort={undefined} onSort={vi.fn()} />
      </>,
    );
    const origin = within(screen.getByRole("table", { name: "Origin" }));
    expect(origin.getByRole("row", { name: /NumPy/ }).textContent).toContain("not as in study 2");
    expect(origin.getByRole("row", { name: /Python/ }).textContent).not.toContain("not as");
    expect(screen.getByText(/figures differ; so do NumPy/)).toBeTruthy();
  });
});
