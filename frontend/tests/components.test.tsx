import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { type ReactNode, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { plainProblem, problemOf } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import { ChainStrip } from "@/chains/chain-strip";
import { type Draft, EMPTY_DRAFT, movedNf, withoutNf } from "@/chains/draft";
import { Failure } from "@/operations/failure";
import { StepsTable } from "@/operations/steps-table";
import { Difference } from "@/plans/difference";
import { waitsForYou } from "@/states/derived";
import { Button } from "@/ui/button";
import { Confirm, Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Figure } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { operation } from "./fixtures";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));

async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}

function withClient(children: ReactNode): ReactNode {
  const client = new QueryClient();
  const session = {
    username: "ops-1",
    role: "operator" as const,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

describe("window", () => {
  it("has one foot: Close, then what its content does, the primary action last", async () => {
    const submit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
    render(
      <Window open title="Add a host" onClose={() => undefined}>
        <form id="add" onSubmit={submit}>
          <p>What is asked.</p>
          <WindowActions>
            <Button>Copy as CLI</Button>
            <Button look="primary" type="submit" form="add">
              Create a token
            </Button>
          </WindowActions>
        </form>
      </Window>,
    );
    const buttons = within(screen.getByRole("dialog")).getAllByRole("button");
    expect(buttons.map((button) => button.textContent)).toEqual(["Close", "Copy as CLI", "Create a token"]);
    expect(new Set(buttons.map((button) => button.closest(".modal-actions"))).size).toBe(1);
    await userEvent.click(screen.getByRole("button", { name: "Create a token" }));
    expect(submit).toHaveBeenCalledOnce();
  });
});

describe("button", () => {
  it("stays focusable while disabled, says why, and does nothing", async () => {
    const press = vi.fn();
    const { container } = render(
      <Button look="primary" onClick={press} reason="Needs the role operator. You are viewer.">
        Apply 3 changes
      </Button>,
    );
    const button = screen.getByRole("button", { name: "Apply 3 changes" });
    await userEvent.tab();
    expect(document.activeElement).toBe(button);
    await userEvent.click(button);
    await userEvent.keyboard("{Enter}");
    expect(press).not.toHaveBeenCalled();
    expect(button.getAttribute("aria-disabled")).toBe("true");
    const reason = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(reason?.textContent).toContain("Needs the role operator");
    await expectAccessible(container);
  });

  it("is pressed by mouse and keyboard when nothing forbids it", async () => {
    const press = vi.fn();
    render(<Button onClick={press}>Reject</Button>);
    await userEvent.tab();
    await userEvent.keyboard("{Enter}");
    await userEvent.click(screen.getByRole("button"));
    expect(press).toHaveBeenCalledTimes(2);
  });
});

describe("the chain by keyboard", () => {
  const nf = (name: string) => ({ key: name, type: "router", name, config: "", cpuShare: "", cpuQuota: "" });

  function Strip(): ReactNode {
    const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, nfs: [nf("a"), nf("b"), nf("c")] });
    const [selected, setSelected] = useState(0);
    return (
      <ChainStrip
        nfs={draft.nfs}
        selected={selected}
        errors={[{ field: "nfs.1.config", message: "unknown option" }]}
        onSelect={setSelected}
        onMove={(index, by) => {
          setDraft(movedNf(draft, index, by));
          setSelected(index + by);
        }}
        onRemove={(index) => {
          setDraft(withoutNf(draft, index));
          setSelected(Math.max(0, index - 1));
        }}
      />
    );
  }
  const names = () => screen.getAllByRole("button").map((button) => button.querySelector("b")?.textContent);

  it("chooses with the arrows, moves with Shift, removes with Delete, and the focus follows", async () => {
    const { container } = render(<Strip />);
    await userEvent.tab();
    await userEvent.keyboard("{ArrowRight}");
    expect(document.activeElement?.querySelector("b")?.textContent).toBe("b");
    await userEvent.keyboard("{Shift>}{ArrowRight}{/Shift}");
    expect(names()).toEqual(["a", "c", "b"]);
    expect(document.activeElement?.querySelector("b")?.textContent).toBe("b");
    await userEvent.keyboard("{Delete}");
    expect(names()).toEqual(["a", "c"]);
    expect(document.activeElement?.querySelector("b")?.textContent).toBe("c");
    await expectAccessible(container);
  });

  it("says which NF has errors", () => {
    render(<Strip />);
    const [first, second] = screen.getAllByRole("button");
    expect(first?.textContent).not.toContain("has errors");
    expect(second?.textContent).toContain("has errors");
  });
});

describe("problems", () => {
  it("shows cause, fields, next step and request", async () => {
    const problem = {
      ...plainProblem("validation", "The chain cannot be accepted", "Two fields do not fit.", 422, [
        { label: "Read the catalogue", command: "sextant nfs" },
      ]),
      errors: [{ field: "nfs.2.type", message: "no NF type is called dpi" }],
      request_id: "01JD9Z7K",
    };
    const { container } = render(<ProblemNote problem={problem} />);
    for (const text of ["Two fields do not fit.", "nfs.2.type", "sextant nfs", "01JD9Z7K"]) {
      expect(container.textContent).toContain(text);
    }
    await expectAccessible(container);
  });

  it("makes a problem even of a proxy's page", () => {
    const problem = problemOf("<html>", new Response(null, { status: 502 }));
    expect(problem.title).toBe("The console answered 502");
    expect(problem.errors).toEqual([]);
  });

  it("ties a field's message to the field", () => {
    render(<Field label="Rate" value="-1" onChange={() => {}} error="at least 0" />);
    const input = screen.getByRole("textbox", { name: "Rate" });
    expect(input.getAttribute("aria-invalid")).toBe("true");
    const described = (input.getAttribute("aria-describedby") ?? "").split(" ");
    expect(described.map((id) => document.getElementById(id)?.textContent)).toContain("at least 0");
  });
});

describe("a stopped operation", () => {
  const error = {
    ...plainProblem("not-converged", "The host did not reach generation 5", "rte_acl could not build its table."),
    next_actions: [{ label: "Lower synthetic_rules", command: "sextant operations rollback 3" }],
  };
  const step = (name: "check" | "put" | "converge" | "verify", state: "done" | "failed" | "waiting") => ({
    name,
    state,
    attempts: state === "failed" ? 3 : 1,
    started_at: null,
    finished_at: null,
    detail: "",
    error: state === "failed" ? error : null,
  });
  const stopped = operation(3, {
    state: "FAILED_TEMP",
    error,
    hosts: [
      {
        host: "edge-1",
        state: "FAILED_TEMP",
        from_generation: 4,
        to_generation: 5,
        waits_for_host: false,
        after: [],
        steps: [step("check", "done"), step("put", "done"), step("converge", "failed"), step("verify", "waiting")],
      },
    ],
    actions: [
      { action: "retry", allowed: true, reason: "goes on at converge" },
      { action: "cancel", allowed: false, reason: "it has stopped already" },
    ],
  });

  it("says what and where, cause, state and next step, with the buttons beside it", async () => {
    const { container } = render(withClient(<Failure operation={stopped} />));
    expect(screen.getByRole("heading").textContent).toBe("Converge on edge-1: the host did not reach generation 5");
    for (const text of ["rte_acl could not build", "edge-1: 2 of 4 steps done", "Lower synthetic_rules"]) {
      expect(container.textContent).toContain(text);
    }
    expect(container.textContent).toContain("goes on at converge");
    expect(screen.getByRole("button", { name: "Retry" }).getAttribute("aria-disabled")).toBeNull();
    expect(screen.getByRole("button", { name: "Cancel" }).getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(container);
  });

  it("asks nobody to act where it goes on by itself", () => {
    const hosts = stopped.hosts.map((work) => ({ ...work, waits_for_host: true }));
    const away = { ...stopped, hosts, waits_for_host: true };
    const { container } = render(withClient(<Failure operation={away} />));
    expect(container.textContent).toContain("edge-1: 2 of 4 steps done, stopped, continues when the host is back.");
    expect(screen.getByRole("button", { name: "Retry" }).getAttribute("aria-disabled")).toBeNull();
    expect([waitsForYou(stopped), waitsForYou(away)]).toEqual([true, false]);
  });

  it("shows each step with its tries", () => {
    render(<StepsTable operation={stopped} />);
    const cells = within(screen.getByRole("table", { name: "Steps" })).getAllByRole("cell");
    expect(cells.map((cell) => cell.textContent)).toEqual([
      "edge-1 generation 4 → 5, stopped, needs attention",
      "steps",
      "done",
      "done",
      "The host did not reach generation 5 try 3",
      "waits",
    ]);
  });
});

describe("plans", () => {
  it("shows why a plan was refused", () => {
    render(<Difference difference={{ "edge-1": { expected: 4, actual: 5 } }} />);
    expect(screen.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["edge-1", "4", "5"]);
  });

  it("never shows a predicted figure without its mark, nor 0 for what is not predictable", () => {
    render(<Figure origin="predicted" value={3.4} low={3.1} high={3.6} unit="Mpps" />);
    expect(screen.getByRole("img", { name: "predicted" }).parentElement?.textContent).toBe("3.4 Mpps [3.1, 3.6]");
    render(<Figure origin="assumed" value={null} why="shared cores" />);
    expect(screen.getByRole("img", { name: "assumed" }).parentElement?.textContent).toBe("–");
  });
});

describe("confirmation", () => {
  it("asks before it acts, and Escape keeps things as they are", async () => {
    const [confirm, close] = [vi.fn(), vi.fn()];
    render(
      <Confirm open title="Delete web-edge" action="Delete web-edge" onConfirm={confirm} onClose={close}>
        Stops 3 NFs.
      </Confirm>,
    );
    expect(screen.getByRole("alertdialog").textContent).toContain("Stops 3 NFs.");
    await userEvent.keyboard("{Escape}");
    expect(close).toHaveBeenCalled();
    expect(confirm).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("button", { name: "Delete web-edge" }));
    expect(confirm).toHaveBeenCalledTimes(1);
  });
});
