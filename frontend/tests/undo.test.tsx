/** The way back from an operation, and what a plan says that it makes worse. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const sent: { path: string; body: unknown }[] = [];
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    sent.push({ path, body: JSON.parse((await request.text()) || "null") });
    return new Response(JSON.stringify({ id: 8 }), { status: 202 });
  };
  return { sent };
});
const went = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));

import { sessionQuery } from "@/api/queries";
import type { HostWork, Operation } from "@/api/types";
import { UndoSection } from "@/operations/undo";
import { WorseLine } from "@/plans/worse";
import { operation, planBody } from "./fixtures";

beforeEach(() => {
  wire.sent.length = 0;
  went.mockClear();
});

const work = (host: string): HostWork => ({
  host,
  state: "COMPLETED",
  from_generation: 4,
  to_generation: 5,
  steps: [],
  waits_for_host: false,
  after: [],
});

function show(done: Operation) {
  const client = new QueryClient();
  const session = {
    username: "ops-1",
    role: "operator" as const,
    csrf_token: "t",
    expires_at: "2036-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return render(
    <QueryClientProvider client={client}>
      <UndoSection operation={done} />
    </QueryClientProvider>,
  );
}

describe("undoing an operation", () => {
  it("asks for the plan back, of one host or of all, and shows it", async () => {
    show(operation(12, { state: "COMPLETED", hosts: [work("sim-1"), work("sim-2")] }));
    const [first] = screen.getAllByRole("button", { name: "Back to generation 4" });
    await userEvent.click(first as HTMLElement);
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/plans/$planId", params: { planId: "8" } }));
    await userEvent.click(screen.getByRole("button", { name: "Undo on all 2 hosts" }));
    await waitFor(() => expect(wire.sent).toHaveLength(2));
    expect(wire.sent.map(({ body }) => (body as { intent: object }).intent)).toEqual([
      { kind: "restore", operation_id: 12, hosts: ["sim-1"] },
      { kind: "restore", operation_id: 12, hosts: [] },
    ]);
  });

  it("is not offered of a removal: the chain is deleted", () => {
    show(operation(12, { state: "COMPLETED", kind: "remove", hosts: [work("sim-1")] }));
    expect(screen.getByRole("button", { name: "Back to generation 4" }).getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByRole("tooltip").textContent).toBe("It removed a chain, which is now deleted; submit it again.");
  });
});

describe("a plan that makes something worse", () => {
  it("says what, before it is applied", () => {
    const worse = { what: "throughput", before_mpps: 6.6, after_mpps: 6.2, breaks_slo: true } as const;
    render(<WorseLine body={planBody({ worse: [{ chain: "edge", detail: "6.60 -> 6.20 Mpps", ...worse }] })} />);
    const line = screen.getByRole("note", { name: "Predicted to get worse" });
    expect(line.textContent).toContain("Predicted to get worse. edge: 6.60 → 6.20 Mpps.");
    expect(line.className).toContain("bad");
  });

  it("says nothing where nothing gets worse", () => {
    expect(render(<WorseLine body={planBody()} />).container.textContent).toBe("");
  });
});
