/** The outer headers of a measured packet as fields (docs/contracts/srv6.md): IPv6, segment routing header, one entry a
 * segment, which an NF's host writes over with what it measured, and what is beside them. */

import type { CapturedPacket } from "@/api/types";
import { latency } from "@/lib/format";

export interface HeaderField {
  name: string;
  /** Hexadecimal. */
  digits: string;
  /** What they mean, in words; empty where the name says all. */
  says: string;
}

/** In digits, two a byte. */
const [IPV6, ROUTING, ENTRY] = [80, 16, 32];

/** In the order of the bytes: entries stand the other way round than packets travel. */
export function fieldsOf({ headers, path, source, detection_us: detection }: CapturedPacket): HeaderField[] {
  const entries = headers.slice(IPV6 + ROUTING, -ROUTING);
  const count = Math.floor(entries.length / ENTRY);
  const fields = [
    { name: "IPv6 header", digits: headers.slice(0, IPV6), says: `from the edge ${source}` },
    { name: "Segment routing header", digits: headers.slice(IPV6, IPV6 + ROUTING), says: `${count} segments` },
  ];
  for (let at = 0; at < count; at += 1) {
    const hop = path[count - 1 - at];
    const digits = entries.slice(ENTRY * at, ENTRY * (at + 1));
    fields.push(
      hop === undefined
        ? { name: "Exit", digits, says: "the segment where it leaves" }
        : { name: hop.nf_id, digits, says: wordsOf(hop) },
    );
  }
  const said = `the packet before was in the last NF for ${latency(detection)}`;
  return [...fields, { name: "What is collected", digits: headers.slice(-ROUTING), says: said }];
}

function wordsOf(hop: CapturedPacket["path"][number]): string {
  const said = [
    hop.device != null && `device ${hop.device}`,
    hop.nf_latency_us != null && `had it for ${latency(hop.nf_latency_us)}`,
    hop.queue_length != null && `${hop.queue_length} packets waited for the way on`,
    hop.port_counter != null && `its packet number ${hop.port_counter}`,
  ];
  return said.filter(Boolean).join(", ");
}

/** Four bytes a word. */
export function hexWords(digits: string): string {
  return digits.match(/.{1,8}/g)?.join(" ") ?? "";
}
