/** The next packets that leave a chain: how long each NF had each of them, and the bytes in which they say so. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { capturePackets } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { CapturedPacket, PacketCapture } from "@/api/types";
import { latency } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { fieldsOf, hexWords } from "./measured-headers";

const PACKETS = 20;

export function PacketCaptures({ chain }: { chain: string }): ReactNode {
  const blocked = useActReason("packets.capture");
  const capture = useMutation({ mutationFn: () => capturePackets(chain, PACKETS) });
  return (
    <Section
      title="Packets"
      note="Headers of those that leave next. Nothing is stored, and what tenants sent is not read."
      end={
        <>
          <CopyButton text={cli.capture(chain)} curl={curls.capture(chain, PACKETS)} />
          <Button
            onClick={() => capture.mutate()}
            reason={capture.isPending ? "Packets are awaited, for 2 s at most." : blocked}
            reasonSide="below-left"
          >
            Capture {PACKETS} packets
          </Button>
        </>
      }
    >
      {capture.error && <ProblemNote problem={asProblem(capture.error)} />}
      {capture.data && <Captured found={capture.data} />}
    </Section>
  );
}

export function Captured({ found }: { found: PacketCapture }): ReactNode {
  const [opened, setOpened] = useState<number | null>(null);
  const { packets, asked_for: wanted, chain, host } = found;
  const nfs = [...new Set(packets.flatMap(({ path }) => path.map(({ nf_id }) => nf_id)))];
  return (
    <>
      {packets.length < wanted && (
        <p className="section-body t2" role="status">
          {packets.length === 0 ? "No packet" : `${packets.length} of ${wanted} packets`} left {chain} on {host} within
          2 s.
        </p>
      )}
      {packets.length > 0 && (
        <table aria-label={`Captured packets of ${chain}`}>
          <thead>
            <tr>
              <th scope="col">Packet</th>
              <th scope="col">Flow</th>
              <th scope="col">Inside</th>
              <th scope="col" className="num">
                Hop limit
              </th>
              {nfs.map((nf) => (
                <th scope="col" className="num" key={nf}>
                  {nf}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {packets.map((packet, index) => (
              <PacketRows
                key={packet.headers}
                number={index + 1}
                packet={packet}
                nfs={nfs}
                opened={opened === index}
                onToggle={() => setOpened(opened === index ? null : index)}
              />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function PacketRows(props: {
  number: number;
  packet: CapturedPacket;
  nfs: readonly string[];
  opened: boolean;
  onToggle: () => void;
}): ReactNode {
  const { number, packet, nfs, opened, onToggle } = props;
  const had = new Map(packet.path.map(({ nf_id, nf_latency_us }) => [nf_id, nf_latency_us]));
  return (
    <>
      <tr>
        <td>
          <button type="button" className="link opener" aria-expanded={opened} onClick={onToggle}>
            Packet {number}
          </button>
        </td>
        <td className="mono">{packet.flow_label.toString(16).padStart(5, "0")}</td>
        <td className="t2">{packet.inner === "ipv4" ? "IPv4" : "IPv6"}</td>
        <td className="num">{packet.hop_limit}</td>
        {nfs.map((nf) => (
          <td className="num" key={nf}>
            {had.get(nf) == null ? <span className="t3">not collected</span> : latency(had.get(nf))}
          </td>
        ))}
      </tr>
      {opened && (
        <tr>
          <td colSpan={4 + nfs.length}>
            <Bytes packet={packet} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Field by field, as they were on the wire. */
function Bytes({ packet }: { packet: CapturedPacket }): ReactNode {
  return (
    <dl className="packet-bytes">
      {fieldsOf(packet).map(({ name, digits, says }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{hexWords(digits)}</code>
            {says && <span className="t2">{says}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
