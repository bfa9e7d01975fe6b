/** The path of a chain whose packets measure themselves: hops in order, the slowest named, silence as silence. */

import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { ChainView, PathHop, Transit } from "@/api/types";
import { ChainPath } from "@/chains/chain-path";
import { chain } from "./fixtures";
import { expectAccessible } from "./plan-page";

afterEach(cleanup);

function measured(hops: PathHop[], secondsAgo = 1, transits: Transit[] = []): ChainView {
  const sample = {
    chain: "web",
    offered_mpps: 0.01,
    delivered_mpps: 0.01,
    drop_mpps: 0,
    filtered_mpps: 0,
    p50_us: null,
    p95_us: null,
    p99_us: null,
    p999_us: null,
    path: hops,
    transits,
  };
  return chain("web", { sample, sampled_at: new Date(Date.now() - 1000 * secondsAgo).toISOString() });
}

const HOPS = [
  { device: "edge-1", nf_id: "web.router", latency_us: 40, p95_us: 90, most_us: 400 },
  { device: "edge-1", nf_id: "web.firewall", latency_us: 55, p95_us: 180, most_us: 2100, queue_packets: 17 },
  { device: "edge-2", nf_id: "web.nids", waits_us: 3_200_000 },
];

it("lists hops in the order in which packets pass, and names the slowest", async () => {
  const { container } = render(<ChainPath chain={measured(HOPS)} />);
  const [, first, second, third] = screen.getAllByRole("row");
  expect(within(first as HTMLElement).getByText("web.router")).toBeTruthy();
  expect(within(first as HTMLElement).queryByText("slowest")).toBeNull();
  expect((second as HTMLElement).textContent).toContain("slowest");
  expect((second as HTMLElement).textContent).toContain("180");
  expect(within(second as HTMLElement).getByText("17 packets")).toBeTruthy();
  expect(
    within(first as HTMLElement)
      .getAllByRole("cell")
      .at(-1)?.textContent,
  ).toBe("–");
  expect((third as HTMLElement).textContent).toContain("no packet");
  expect((third as HTMLElement).textContent).toContain("3200");
  await expectAccessible(container);
});

it("names nobody the slowest where no packet came back", () => {
  render(<ChainPath chain={measured(HOPS.slice(2))} />);
  expect(screen.queryByText("slowest")).toBeNull();
});

it("names nobody the slowest by figures that are old, and says how old they are", () => {
  render(<ChainPath chain={measured(HOPS, 60)} />);
  expect(screen.queryByText("slowest")).toBeNull();
  expect(screen.getAllByText("stale")).toHaveLength(HOPS.length);
  expect(screen.getByText(/stale, 60 s/)).toBeTruthy();
});

it("has how long packets took to each hop but the first", async () => {
  const transits = [
    { to: "web.firewall", p50_us: 3, p95_us: 9.5 },
    { to: "web.nids", p50_us: 120, p95_us: 1400 },
    { to: null, p50_us: 4, p95_us: 5 },
  ];
  const { container } = render(<ChainPath chain={measured(HOPS, 1, transits)} />);
  const ways = screen.getAllByRole("row").map((row) => row.lastElementChild?.textContent);
  expect(ways).toEqual(["Way to it", "–", "3.0 µs (p95 9.5 µs)", "120 µs (p95 1.40 ms)"]);
  await expectAccessible(container);
});

it("tells a queue that nobody has from one that was not collected", () => {
  const unread = { device: "edge-1", nf_id: "web.firewall", p95_us: 180 };
  render(<ChainPath chain={measured([HOPS[0] as PathHop, unread, HOPS[2] as PathHop])} />);
  const queues = screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[7]?.textContent);
  expect(queues).toEqual(["–", "not collected", "–"]);
});

/** 90 + 180 and 10 + 20 us on the way: 300. Of 2 ms they are less than half, of .5 ms more. */
it("says where packets were if hops and ways are no half of the time that they took", () => {
  const ways = [
    { to: "web.firewall", p50_us: 4, p95_us: 10 },
    { to: null, p50_us: 5, p95_us: 20 },
  ];
  const within = (p95_us: number) => {
    const view = measured(HOPS.slice(0, 2), 1, ways);
    return render(<ChainPath chain={{ ...view, sample: { ...view.sample, p95_us } as ChainView["sample"] }} />);
  };
  within(2000);
  expect(document.body.textContent).toContain("From the source to the sink packets take 2.00 ms (p95).");
  expect(document.body.textContent).toContain("Hops and ways come to 300 µs of it");
  cleanup();
  within(500);
  expect(document.body.textContent).not.toContain("Hops and ways come to");
});

it("does not say so of hops that are not known", () => {
  const view = measured(HOPS);
  render(<ChainPath chain={{ ...view, sample: { ...view.sample, p95_us: 50_000 } as ChainView["sample"] }} />);
  expect(document.body.textContent).not.toContain("Hops and ways come to");
});
