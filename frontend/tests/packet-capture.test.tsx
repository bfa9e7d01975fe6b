/** Captured packets: how long each NF had each of them, what is missing named, and their bytes field by field. */

import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { CapturedPacket } from "@/api/types";
import { fieldsOf, hexWords } from "@/chains/measured-headers";
import { Captured } from "@/chains/packet-capture";
import { expectAccessible } from "./plan-page";

afterEach(cleanup);

const IPV6 = "60".padEnd(80, "a");
const ROUTING = "0406".padEnd(16, "b");
/** As they stand: the exit's first, the NF's that packets meet first last. */
const ENTRIES = ["e", "2", "1"].map((digit) => digit.repeat(32));
const TLV = "8406001d".padEnd(16, "0");
const PACKET: CapturedPacket = {
  tag: 32768,
  flow_label: 0x2a,
  source: "fc00:0:1::",
  hop_limit: 61,
  inner: "ipv4",
  detection_us: 30.4,
  path: [
    { nf_id: "web.router", device: 1, nf_latency_us: 21.4, port_counter: 7 },
    { nf_id: "web-part-2.nids", device: 2, nf_latency_us: 1840 },
  ],
  headers: [IPV6, ROUTING, ...ENTRIES, TLV].join(""),
};
const found = (packets: CapturedPacket[], askedFor: number) => ({
  chain: "web-part-2",
  host: "lab-2",
  taken_at: "2026-11-29T12:00:00Z",
  asked_for: askedFor,
  packets,
});

it("shows each packet's time in each NF, and its bytes once it is opened", async () => {
  const { container } = render(
    <Captured found={found([PACKET, { ...PACKET, path: PACKET.path.slice(0, 1), headers: "60" }], 2)} />,
  );
  const [head, first, second] = screen.getAllByRole("row");
  expect((head as HTMLElement).textContent).toBe("PacketFlowInsideHop limitweb.routerweb-part-2.nids");
  expect((first as HTMLElement).textContent).toBe("Packet 10002aIPv46121 µs1.84 ms");
  expect((second as HTMLElement).textContent).toContain("not collected");
  expect(screen.queryByRole("status")).toBeNull();
  await userEvent.click(within(first as HTMLElement).getByRole("button", { name: "Packet 1" }));
  expect(screen.getByText("the segment where it leaves")).toBeTruthy();
  expect(screen.getByText("device 1, had it for 21 µs, its packet number 7")).toBeTruthy();
  await expectAccessible(container);
});

it("takes headers apart in the order of their bytes", () => {
  expect(fieldsOf(PACKET).map(({ name, digits }) => [name, digits])).toEqual([
    ["IPv6 header", IPV6],
    ["Segment routing header", ROUTING],
    ["Exit", ENTRIES[0]],
    ["web-part-2.nids", ENTRIES[1]],
    ["web.router", ENTRIES[2]],
    ["What is collected", TLV],
  ]);
  expect(hexWords("0011223344")).toBe("00112233 44");
});

it("says how few came", () => {
  const { rerender } = render(<Captured found={found([PACKET], 20)} />);
  expect(screen.getByRole("status").textContent).toBe("1 of 20 packets left web-part-2 on lab-2 within 2 s.");
  rerender(<Captured found={found([], 20)} />);
  expect(screen.getByRole("status").textContent).toBe("No packet left web-part-2 on lab-2 within 2 s.");
  expect(screen.queryByRole("table")).toBeNull();
});
