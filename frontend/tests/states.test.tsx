import { render } from "@testing-library/react";
import type { ReactElement } from "react";
import { describe, expect, it } from "vitest";
import { findEntries } from "@/app/find";
import { EMPTY, reduce } from "@/live/state";
import {
  chainLook,
  jobLook,
  nfLook,
  operationLook,
  planLook,
  pointLook,
  studyLook,
  waitsForYou,
} from "@/states/derived";
import { ModelText } from "@/states/model-text";
import { StateText } from "@/states/state-text";
import { chain, nf, plan, snapshot } from "./fixtures";
import { modelVersion } from "./nf-type-fixtures";
import { study } from "./study-fixtures";

function shown(element: ReactElement) {
  const { container } = render(element);
  const shape = container.querySelector(".shape");
  return { text: container.textContent, classes: container.firstElementChild?.className, shape: shape?.className };
}

const operation = (state: "COMPLETED" | "ROLLED_BACK" | "FAILED_TEMP", waits_for_host = false) => {
  const look = operationLook({ state, waits_for_host });
  return shown(<StateText look={look} code={state} />);
};

describe("a state on a page", () => {
  it("has its mark, its words and its colour", () => {
    expect(shown(<StateText look={planLook({ state: "failed" })} />)).toEqual({
      text: "failed",
      classes: "nowrap bad",
      shape: "shape bad",
    });
    expect(shown(<StateText look={planLook({ state: "proposed" })} />)).toEqual({
      text: "proposed",
      classes: "nowrap",
    });
  });

  it("names the API's state where that is another word, and only there", () => {
    expect(operation("COMPLETED").text).toBe("completed");
    expect(operation("ROLLED_BACK").text).toBe("rolled back");
    expect(operation("FAILED_TEMP").text).toBe("stopped, needs attention FAILED_TEMP");
    const measuring = jobLook({ state: "PROCESSING", failed: 0, not_measurable: 0 });
    expect(shown(<StateText look={measuring} code="PROCESSING" />).text).toBe("measuring PROCESSING");
  });

  it("says of a model which fit it is of, and first that it is stale", () => {
    expect(shown(<ModelText model={modelVersion({ state: "promoted", fit_id: 7 })} />).text).toBe("promoted, fit 7");
    const stale = shown(
      <ModelText model={modelVersion({ state: "candidate", fit_id: 7, stale: "version 2 is out" })} />,
    );
    expect(stale).toEqual({ text: "stale, candidate of fit 7", classes: "nowrap warn", shape: "shape stale" });
  });
});

describe("a state with what else decides how it reads", () => {
  it("is that of a chain that is paused, and of one that is changed and not placed", () => {
    const paused = chain("web", { state: "running" });
    expect(chainLook({ ...paused, spec: { ...paused.spec, paused: true } }).words).toBe("paused");
    expect(chainLook(chain("web", { state: "applying", placement: [] })).words).toBe("being placed");
    const placement = [{ nf_id: "web.router" }] as unknown as ReturnType<typeof chain>["placement"];
    expect(chainLook(chain("web", { state: "applying", placement })).words).toBe("being changed");
  });

  it("is that of an NF which is not where it was ordered, before whether it runs", () => {
    expect(nfLook(nf("web.router", "edge-1", 1, { actual_core: 0, state: "running" })).words).toBe("found on core 0");
    expect(nfLook(nf("web.router", "edge-1", 1, { state: "crashed" }))).toMatchObject({ shape: "bad", tone: "bad" });
    expect(nfLook(nf("web.router", "edge-1", 1, { state: "running", paused: true })).words).toBe("paused");
  });

  it("promises of no study that it can be applied, and says what a plan waits for", () => {
    expect(planLook({ state: "proposed", source: "file" }).words).toBe("study");
    expect(planLook({ state: "proposed", source: "preview" }).words).toBe("preview");
    expect(planLook({ state: "applied", source: "file" }).words).toBe("applied");
    const waits = { reason: "no model of nids" } as NonNullable<Parameters<typeof planLook>[0]["waits"]>;
    expect(planLook({ state: "planning", waits })).toMatchObject({
      words: "waits for a model",
      why: "no model of nids",
    });
  });

  it("asks nobody to act on what goes on by itself", () => {
    const away = { state: "FAILED_TEMP", waits_for_host: true } as const;
    expect([waitsForYou({ ...away, waits_for_host: false }), waitsForYou(away)]).toEqual([true, false]);
    expect(operationLook(away).words).toBe("stopped, continues when the host is back");
  });

  it("calls no job completed of which something is not known", () => {
    expect(jobLook({ state: "COMPLETED", failed: 1, not_measurable: 0 })).toMatchObject({
      words: "completed in part",
      tone: "warn",
    });
    expect(pointLook({ state: "done", reused: true }).words).toBe("known");
  });

  it("is being cancelled until a study has ended", () => {
    expect(studyLook(study({ state: "running", cancel_requested: true })).words).toBe("is being cancelled");
    expect(studyLook(study({ state: "done", cancel_requested: true })).words).toBe("done");
  });
});

it("reads in the palette as on the pages", () => {
  const state = reduce(EMPTY, [
    snapshot({
      chains: [chain("web", { state: "submitted" })],
      plans: [plan(4, { state: "planning", subject: "web" })],
    }),
  ]);
  const notes = [...findEntries("web", state), ...findEntries("plan 4", state)].map(({ note }) => note);
  expect(notes).toEqual(["not placed", "web, being made"]);
});
