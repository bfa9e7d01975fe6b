/** Outcomes of a chain that another NF limits than was predicted: whose model they count for. */

import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Outcome, Trust } from "@/api/types";
import { OutcomesTable } from "@/trust/outcomes-table";
import { TrustMeter } from "@/trust/trust-meter";
import { testsOf } from "@/trust/words";

const FIREWALL = { nf_id: "dmz.firewall", nf_type: "firewall", version: "fit-1", low_mpps: 6, high_mpps: 6.4 };
const NIDS = { nf_id: "dmz.nids", nf_type: "nids", version: "fit-3", low_mpps: null, high_mpps: null };

/** The firewall was predicted to limit it at 6.2 of 6.6 Mpps; the nids, of which 6.6 were predicted, carried 4.5. */
const OUTCOME: Outcome = {
  ...{ id: 1, plan_id: 1, chain: "dmz", host: "sim-2", host_model: "xeon", predictor: "octans" },
  ...{ nf_id: "dmz.firewall", nf_type: "firewall", version: "fit-1", interval_source: "held-out" },
  ...{ predicted_mpps: 6.2, low_mpps: 6, high_mpps: 6.4, measured_mpps: 4.5, offered_mpps: 6.6, test: "informative" },
  ...{ seconds: 10, provenance: "simulated", at: "2026-11-20T10:00:00Z" },
  limited_by: { nf_id: "dmz.nids", by: "drops" },
  judged: [
    { ...NIDS, predicted_mpps: 6.6, counts: true },
    { ...FIREWALL, predicted_mpps: 6.2, counts: false },
  ],
};
const meter = (nfType: string, version: string): Trust => ({
  ...{ nf_type: nfType, host_model: "xeon", predictor: "octans", version, informative: 1, uninformative: 2 },
  ...{ error_percent: null, bias_percent: null, coverage_percent: null, band_percent: 5 },
  ...{ verdict: "untested", why: "1 of the 3 outcomes that are needed", last: null },
});

describe("an outcome that was offered less than its chain could carry", () => {
  const offered: Outcome = {
    ...OUTCOME,
    ...{ test: "offered_too_little", interval_source: "spare", limited_by: null, judged: [] },
    ...{ predicted_mpps: 0.1, low_mpps: 0.099, high_mpps: 0.101, offered_mpps: 0.1 },
  };
  const shown = (outcome: Outcome) => {
    render(<OutcomesTable outcomes={[outcome]} named={false} />);
    return within(screen.getAllByRole("row")[1] as HTMLElement);
  };

  it("confirms its prediction where it lies inside the interval: 0.0999 of 0.1 Mpps", () => {
    const row = shown({ ...offered, measured_mpps: 0.0999 });
    expect(row.getByText("confirmed")).toBeTruthy();
    expect(row.getByText("offered too little")).toBeTruthy();
    expect(row.getByText("all of its offer")).toBeTruthy();
  });

  it("does not where there is no interval", () => {
    const none = { low_mpps: null, high_mpps: null, interval_source: null };
    expect(shown({ ...offered, ...none, measured_mpps: 0.0999 }).getByText("not tested")).toBeTruthy();
  });
});

describe("an outcome whose measured bottleneck is another", () => {
  it("counts for the model of the NF that limits the chain: 4.5 of 6.6 Mpps are 31.8 % less", () => {
    expect(testsOf(meter("nids", "fit-3"), [OUTCOME])).toMatchObject([{ predicted_mpps: 6.6, measured_mpps: 4.5 }]);
    expect(testsOf(meter("firewall", "fit-1"), [OUTCOME])).toEqual([]);
    expect(testsOf(meter("nids", "fit-2"), [OUTCOME])).toEqual([]);
    render(<TrustMeter trust={meter("nids", "fit-3")} outcomes={[OUTCOME]} />);
    expect(screen.getByRole("img").getAttribute("aria-label")).toBe("Errors of 1 outcomes: −32 %");
    expect(screen.getByText(/2 more did not test it/).textContent).toContain("another NF limited the chain");
  });

  it("says so in the table of outcomes", () => {
    render(<OutcomesTable outcomes={[OUTCOME]} named={false} />);
    const row = within(screen.getAllByRole("row")[1] as HTMLElement);
    expect(row.getByText("nids")).toBeTruthy();
    expect(row.getByText("predicted: firewall")).toBeTruthy();
    expect(row.getByText("counts for the model of nids")).toBeTruthy();
  });

  it("is said of none where the prediction names the same, or nothing measured speaks against an NF", () => {
    const same: Outcome = { ...OUTCOME, limited_by: { nf_id: "dmz.firewall", by: "ring" } };
    const unknown: Outcome = { ...OUTCOME, id: 2, limited_by: null };
    render(<OutcomesTable outcomes={[same, unknown]} named={false} />);
    expect(screen.queryByText(/predicted: /)).toBeNull();
    expect(screen.getByTitle(/firewall was predicted to limit it/).textContent).toContain("firewall");
  });
});
