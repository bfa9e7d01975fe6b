/** Plans over several hosts, applied in batches; and what a host of an operation waits for. */

import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { afterText } from "@/operations/steps-table";
import { batchesOf, HostsAtOnce } from "@/plans/hosts-at-once";
import { cli } from "@/session/cli";

describe("hosts at once", () => {
  it("offers sizes that make more than one batch", () => {
    expect([1, 2, 6, 26].map(batchesOf)).toEqual([[], [1], [1, 5], [1, 5, 25]]);
  });

  it("is all of them unless a number is chosen", async () => {
    const chosen = vi.fn();
    const { rerender } = render(<HostsAtOnce hosts={6} value={null} onChange={chosen} />);
    expect(screen.getByRole("radio", { name: "all" }).getAttribute("aria-checked")).toBe("true");
    await userEvent.click(screen.getByRole("radio", { name: "5" }));
    expect(chosen).toHaveBeenCalledExactlyOnceWith(5);
    rerender(<HostsAtOnce hosts={6} value={5} onChange={chosen} />);
    await userEvent.click(screen.getByRole("radio", { name: "all" }));
    expect(chosen).toHaveBeenLastCalledWith(null);
  });

  it("is not asked of a plan of one host", () => {
    const { container } = render(<HostsAtOnce hosts={1} value={null} onChange={() => undefined} />);
    expect(container.textContent).toBe("");
  });

  it("is an option of the command", () => {
    expect(cli.applyPlan(3, true, 5)).toBe("sextant plans apply 3 --yes --hosts-at-once 5");
    expect(cli.applyPlan(3)).toBe("sextant plans apply 3");
  });
});

describe("what a host waits for", () => {
  it("is named, and counted where it is many", () => {
    expect(afterText(["sim-2"])).toBe("after sim-2");
    expect(afterText(["a", "b", "c", "d"])).toBe("after a, b and 2 more hosts");
  });
});
