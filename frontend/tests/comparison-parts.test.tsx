/** Plans side by side, and what a comparison is asked with. */
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { describe, expect, it, vi } from "vitest";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => vi.fn(),
}));

import { SideBySide } from "@/comparisons/side-by-side";
import { SnapshotDrop } from "@/comparisons/snapshot-drop";
import { Choose } from "@/ui/choose";
import { compared, plan } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

describe("a comparison", () => {
  it("has a column an algorithm, marks the best, and shows how far the others are", async () => {
    const plans = [
      compared(1, "exact", { status: "optimal", score: 350, bound: 350, gap: 0 }),
      compared(2, "octans", { score: 343 }),
      compared(3, "anytime", { state: "planning", status: null }),
      compared(4, "brute", { state: "failed", status: null }),
    ];
    const progress = {
      stage: "solving",
      done: 1,
      total: 4,
      best: 340,
      bound: 352,
      evaluations: 7,
      seconds: 2,
    } as const;
    const briefs = new Map([[3, plan(3, { state: "planning", progress })]]);
    const { container } = show(<SideBySide plans={plans} briefs={briefs} />);
    const cells = (head: RegExp) =>
      within(screen.getByRole("row", { name: head }))
        .getAllByRole("cell")
        .map((cell) => cell.textContent);
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
      "Figure",
      "exact best",
      "octans",
      "anytime",
      "brute",
    ]);
    expect(cells(/^Status/)).toEqual([
      "optimal by its models, proved",
      "feasible",
      "placing NFs on each host, 1 of 4 hosts",
      "failed",
    ]);
    expect(cells(/to the best/)).toEqual(["best", "−7.0 (−2.0 %)", "–", "–"]); // 7 / 350 = 2 %
    expect(cells(/score, value/)).toEqual(["350.0", "343.0", "340.0 so far", "–"]);
    await expectAccessible(container);
  });

  it("takes a file, says what it holds, and shows what the console says of its fields", async () => {
    const taken = vi.fn();
    function Drop(): ReactNode {
      const [file, setFile] = useState<Parameters<typeof taken>[0]>(null);
      return (
        <SnapshotDrop
          file={file}
          onFile={(next) => {
            taken(next);
            setFile(next);
          }}
          errors={[{ field: "snapshot.hosts.3.inventory.host_id", message: "'a' is named twice" }]}
        />
      );
    }
    const { container } = show(<Drop />);
    const input = container.querySelector("input[type=file]") as HTMLInputElement;
    const good = new File(['{"hosts": [{}], "chains": [{"name": "web", "nfs": [1]}]}'], "zone.json", {
      type: "application/json",
    });
    await userEvent.upload(input, good);
    await waitFor(() => expect(container.textContent).toContain("zone.json, 56 B: 1 host, 1 chain, 1 NF"));
    expect(container.textContent).toContain("snapshot.hosts.3.inventory.host_id 'a' is named twice");
    await userEvent.upload(input, new File(["<html>"], "page.json", { type: "application/json" }));
    await waitFor(() => expect(container.textContent).toContain("page.json is not JSON"));
    expect(taken).toHaveBeenLastCalledWith(null);
    await expectAccessible(container);
  });
});

describe("a name among many", () => {
  it("is typed, not scrolled for, and only a known one is taken", async () => {
    const chosen = vi.fn();
    const choices = Array.from({ length: 1000 }, (_, index) => ({ key: `h-${index}`, text: `h-${index}` }));
    const { container } = show(<Choose label="Host" value="h-0" choices={choices} onChange={chosen} />);
    const field = screen.getByRole("combobox", { name: "Host" });
    await userEvent.clear(field);
    await userEvent.type(field, "h-99");
    expect(chosen).toHaveBeenLastCalledWith("h-99");
    await userEvent.type(field, "x");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(container.textContent).toContain("0 of 1000 names contain that");
  });
});
