/** A study of NUMASFP on its page: values beside the paper's, with verdicts, and the figure as it was found. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { studyResultQuery, studySummaryQuery } from "@/api/study-queries";
import { Found } from "@/studies/found";
import { numasfpFacts } from "@/studies/kinds/numasfp/facts";
import { allowed, ChecksSection } from "@/studies/paper-checks";
import { FigureSection } from "@/studies/paper-figure";
import { FAILED, NUMASFP_RESULT, NUMASFP_SUMMARY, PASSED } from "./study-fixtures";

describe("values beside the paper's", () => {
  it("show what was simulated, what was published, and the verdict with its reason", async () => {
    const { container } = render(<ChecksSection summary={NUMASFP_SUMMARY} />);
    const [, passed, failed, reason] = within(
      screen.getByRole("table", { name: "Values beside the paper's" }),
    ).getAllByRole("row");
    expect(passed?.textContent).toContain("−52 ± 6 %");
    expect(passed?.textContent).toContain("passed");
    expect(failed?.textContent).toContain("at most 1 s");
    expect(failed?.textContent).toContain("failed");
    expect(reason?.textContent).toBe("Likely because the link is slow.");
    expect(screen.getByRole("heading", { name: "Paper, Fig. 5" })).toBeTruthy();
    expect(container.textContent).toContain("1 passed, 1 failed");
    expect(container.textContent).toContain("simulated, on xeon-gold-6126");
    const { violations } = await axe.run(container, { rules: { "color-contrast": { enabled: false } } });
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
  });

  it("say so where nobody looked for the reason, and where the paper says nothing", () => {
    const unsaid = { ...PASSED, paper: null, tolerance: null, bound: null, passed: null };
    const checks = [{ ...FAILED, reason: null }, unsaid];
    const { container } = render(<ChecksSection summary={{ ...NUMASFP_SUMMARY, passed: 0, failed: 0, checks }} />);
    expect(container.textContent).toContain("Likely because of something that nobody looked into.");
    expect(container.textContent).toContain("the paper says nothing of it");
    expect(allowed(unsaid)).toBe("–");
  });

  it("hold a look-up table's cells against the published ones", () => {
    render(<ChecksSection summary={NUMASFP_SUMMARY} />);
    const cell = within(screen.getByRole("table", { name: "Look-up table" })).getAllByRole("row")[1];
    expect(cell?.textContent).toBe("routerremote8(5, 40)noneno");
  });

  it("say what is allowed as the command line does", () => {
    expect(allowed({ ...FAILED, bound: "least", tolerance: 0.5 })).toBe("at least 1 (± 0.5) s");
  });
});

describe("the figure", () => {
  it("has a plot for each unit, which says its last values", () => {
    render(<FigureSection result={NUMASFP_RESULT} />);
    expect(screen.getByRole("img", { name: "Gbps by offered, Gbps: 0-0-0, at last 10.0" })).toBeTruthy();
    expect(screen.getByRole("img", { name: "ways by offered, Gbps: ways, at last 5.0" })).toBeTruthy();
  });

  it("is left out where nothing was drawn", () => {
    const { container } = render(<FigureSection result={{ ...NUMASFP_RESULT, lines: [] }} />);
    expect(container.textContent).toBe("");
  });
});

describe("what was asked", () => {
  it("names the figure, what is measured and on what", () => {
    const facts = new Map(numasfpFacts(NUMASFP_RESULT.scenario));
    expect(facts.get("Figure")).toBe("Fig. 5");
    expect(facts.get("Measured")).toBe("what chains carry, by rate and place");
    expect(facts.get("Simulated server")).toBe("xeon-gold-6126");
  });
});

describe("what a study found", () => {
  it("is drawn by its kind", () => {
    const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    client.setQueryData(studySummaryQuery(3).queryKey, NUMASFP_SUMMARY);
    client.setQueryData(studyResultQuery(3).queryKey, NUMASFP_RESULT);
    render(
      <QueryClientProvider client={client}>
        <Found id={3} />
      </QueryClientProvider>,
    );
    expect(screen.getAllByRole("heading").map(({ textContent }) => textContent)).toEqual(["Paper, Fig. 5", "Figure"]);
  });
});
