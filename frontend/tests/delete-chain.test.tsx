/** Deleting a chain: what the question says of parts and lanes, and whether further lanes go along. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { deleteChain } from "@/api/actions";
import { sessionQuery } from "@/api/queries";
import type { ChainView } from "@/api/types";
import { DeleteChain } from "@/chains/delete-chain";
import { live } from "@/live/store";
import { chain, snapshot } from "./fixtures";
import { heartbeats } from "./heartbeats";

vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), deleteChain: vi.fn() }));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  useNavigate: () => vi.fn(),
}));

const ZERO = { drop_mpps: 0, filtered_mpps: 0, p50_us: null, p95_us: null, p99_us: null, p999_us: null };

function lane(number: number, host: string, carried: number): ChainView {
  const name = number === 1 ? "web" : `web-lane-${number}`;
  const seat = { host, node: 0, core: 1, slot: 0 };
  const placement = [{ nf_id: `${name}.router`, chain: name, position: 0, nf_type: "router", seat }];
  const plain = chain(name, { placement });
  const sample = { chain: name, ...ZERO, offered_mpps: carried, delivered_mpps: carried };
  const traffic = { ...plain.spec.traffic, lane: { of: "web", number, weights: [1, 1] } };
  return { ...plain, sample, spec: { ...plain.spec, traffic } };
}

async function asked(of: ChainView, ...others: ChainView[]): Promise<HTMLElement> {
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({ chains: [of, ...others] })] });
  heartbeats();
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
  render(
    <QueryClientProvider client={client}>
      <DeleteChain chain={of} />
    </QueryClientProvider>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Delete chain" }));
  return screen.getByRole("alertdialog");
}

const further = () => screen.queryByRole("checkbox", { name: /further lane/ });

describe("deleting a chain", () => {
  const [first, second] = [lane(1, "lab-1", 1.5), lane(2, "lab-2", 0.5)];

  beforeEach(() => void vi.mocked(deleteChain).mockReset().mockResolvedValue(null));

  it("leaves its further lanes, unless that is chosen, and says what stops then", async () => {
    const dialog = await asked(first, second);
    expect(dialog.textContent).toContain("Stops 1 NF on 1 host and frees their slots. 1.5 Mpps of traffic stop.");
    await userEvent.click(further() ?? dialog);
    expect(dialog.textContent).toContain("Stops 2 NFs on 2 hosts and frees their slots. 2.0 Mpps of traffic stop.");
    await userEvent.click(screen.getByRole("button", { name: "Delete web" }));
    expect(deleteChain).toHaveBeenCalledExactlyOnceWith("web", true);
  });

  it("deletes the one lane where nothing is chosen", async () => {
    await asked(first, second);
    await userEvent.click(screen.getByRole("button", { name: "Delete web" }));
    expect(deleteChain).toHaveBeenCalledExactlyOnceWith("web", false);
  });

  it("does not ask for lanes of a further lane, nor of a chain in none", async () => {
    await asked(second, first);
    expect(further()).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Delete web-lane-2" }));
    expect(deleteChain).toHaveBeenCalledExactlyOnceWith("web-lane-2", false);
  });
});
