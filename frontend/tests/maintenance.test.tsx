/** The section Maintenance of a host's page: the state of the host, and why. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { HostView } from "@/api/types";

import { Maintenance } from "@/hosts/maintenance";
import { host } from "./fixtures";

const CORDONED: HostView = {
  ...host("edge-1"),
  cordon: { reason: "new memory", by: "ada", since: "2036-01-01T00:00:00Z" },
};

function show(view: HostView, chains: number): void {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Maintenance host={view} chains={chains} />
    </QueryClientProvider>,
  );
}

it("says that a host is in service", () => {
  show(host("edge-1"), 2);
  expect(screen.getByText("In service, 2 chains here. Plans may put NFs on this host.")).toBeDefined();
});

it("says why a host is cordoned, by whom, and that its chains go on", () => {
  show(CORDONED, 1);
  expect(screen.getByText("new memory")).toBeDefined();
  expect(screen.getByText(/^ada, /)).toBeDefined();
  expect(screen.getByText("1, which goes on running")).toBeDefined();
});
