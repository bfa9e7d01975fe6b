/** A law's parameters in two tabs: what the other has set meanwhile is refused once, and not overwritten unseen. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { sessionQuery } from "@/api/queries";
import { LawParameters, type LawParametersOf } from "@/automation/law-parameters";
import { live } from "@/live/store";
import { snapshot } from "./fixtures";
import { heartbeats } from "./heartbeats";

const ADMIN = {
  username: "ada",
  role: "admin",
  csrf_token: "t",
  expires_at: "2036-11-22T00:00:00Z",
  must_change_password: false,
  issuer: null,
} as const;

vi.stubGlobal("fetch", () => new Promise<Response>(() => {}));

afterEach(cleanup);

it("names the version at which the draft was begun, and the present one after a refusal", async () => {
  const stored = { parameters: { hold_s: 3 }, tag: '"1"' };
  const asked: string[] = [];
  const of: LawParametersOf = {
    whose: "CoCo’s",
    title: "When it moves",
    fields: [{ key: "hold_s", label: "Hold", unit: "s", hint: "", rule: { least: 0, most: 60 } }],
    queryKey: ["parameters"],
    read: async () => ({ ...stored }),
    change: async (tag) => {
      asked.push(tag);
      if (tag !== stored.tag) throw new Error("it has changed since");
    },
    cli: () => "",
    curl: () => "",
  };
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot()] });
  heartbeats();
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(sessionQuery.queryKey, ADMIN);
  render(
    <QueryClientProvider client={client}>
      <LawParameters of={of} />
    </QueryClientProvider>,
  );
  const field = await screen.findByLabelText(/Hold/);
  fireEvent.change(field, { target: { value: "5" } });
  Object.assign(stored, { parameters: { hold_s: 7 }, tag: '"2"' }); // the other tab
  await client.refetchQueries({ queryKey: ["parameters"] });
  fireEvent.submit(screen.getByRole("form"));
  await waitFor(() => expect(asked).toEqual(['"1"']));
  await screen.findByRole("alert");
  await waitFor(() => {
    fireEvent.submit(screen.getByRole("form"));
    expect(asked.at(-1)).toBe('"2"');
  });
});
