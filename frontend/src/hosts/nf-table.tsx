/** The NFs on this host: what runs, where, and what was measured of each; a row opens to move its NF. */

import { type ReactNode, useState } from "react";
import type { NfView } from "@/api/types";
import { MigrateForm } from "@/fleet/migrate-form";
import { utilisedText } from "@/fleet/utilisation";
import { missPercent, occupancyOf, tellsCache } from "@/interference/counters";
import { DASH, figure, percent, thousands } from "@/lib/format";
import { useActReason } from "@/session/permission";
import { nfLook } from "@/states/looks";
import { StateText } from "@/states/state-text";
import { Button } from "@/ui/button";
import { Pager, usePages } from "@/ui/pager";
import { ChainName } from "./chain-tag";
import type { HostData } from "./use-host";

/** NFs of a page; more are turned over, and can be narrowed. */
const PAGE = 50;

const HEADS: readonly { text: string; num?: boolean; title?: string }[] = [
  { text: "NF" },
  { text: "Chain" },
  { text: "State" },
  { text: "Node/core" },
  { text: "Slot", num: true },
  { text: "Utilisation, %", num: true, title: "Share of its core's time that goes into packets" },
  { text: "Headroom, Mpps", num: true, title: "What it could take more before it drops" },
  { text: "CPU, %", num: true, title: "CPU time of the NF's thread over wall time: 100 % where it polls" },
  { text: "In, Mpps", num: true },
  { text: "Out, Mpps", num: true },
  { text: "Drops, Mpps", num: true, title: "Lost because its ring was full, or because it failed to hand them on" },
  { text: "Filtered, Mpps", num: true, title: "Dropped by its rules: not a loss" },
  { text: "Cycles a packet", num: true },
  { text: "Ring, %", num: true, title: "How full the ring before the NF is" },
  { text: "Restarts", num: true },
];

/** Heads up to the drops, which belong together; what counters tell follows them, so that it is in sight. */
const FLOW = 11;

/** Of hosts with hardware counters. */
const COUNTED: typeof HEADS = [
  { text: "LLC, M/s", num: true, title: "References to the last-level cache, millions a second" },
  { text: "missed, %", num: true, title: "Of its references to the last-level cache those that went to memory" },
  { text: "LLC, MB", num: true, title: "What its lines hold of its node's last-level cache" },
  { text: "Local, GB/s", num: true, title: "Read and written in memory of its own node" },
  { text: "Remote, GB/s", num: true, title: "Read and written in memory of other nodes, across the link" },
];

export function NfTable({ data, onPin }: { data: HostData; onPin: (seat: string) => void }): ReactNode {
  const [text, setText] = useState("");
  const [moving, setMoving] = useState<string | null>(null);
  const wanted = text.trim().toLowerCase();
  const rows = data.nfs.filter(({ nf_id, nf_type }) => nf_id.includes(wanted) || nf_type.includes(wanted));
  const pages = usePages(rows, PAGE);
  const counted = tellsCache(data.nfs);
  const heads = counted ? [...HEADS.slice(0, FLOW), ...COUNTED, ...HEADS.slice(FLOW)] : HEADS;
  return (
    <>
      {data.nfs.length > PAGE && (
        <div className="narrow">
          <input
            className="input"
            type="search"
            aria-label="Show only NFs whose name, chain or type contains"
            placeholder="NF, chain or type"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="t2">
            {rows.length < data.nfs.length && `${rows.length} of ${thousands(data.nfs.length)} NFs`}
          </span>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="wide-table" aria-label="NFs, scrolls sideways" tabIndex={0}>
        <table aria-label={`NFs on ${data.host.host_id}`} className="host-nfs">
          <thead>
            <tr>
              {heads.map(({ text: head, num, title }) => (
                <th key={head} scope="col" className={num ? "num" : undefined} title={title}>
                  {head}
                </th>
              ))}
              <th>
                <span className="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {pages.shown.map((nf) => (
              <NfRow
                key={nf.nf_id}
                nf={nf}
                data={data}
                counted={counted}
                columns={heads.length + 1}
                open={moving === nf.nf_id}
                onMove={() => setMoving(moving === nf.nf_id ? null : nf.nf_id)}
                onPin={onPin}
              />
            ))}
          </tbody>
        </table>
      </section>
      <Pager pages={pages} one="NF" />
    </>
  );
}

function NfRow(props: {
  nf: NfView;
  data: HostData;
  counted: boolean;
  columns: number;
  open: boolean;
  onMove: () => void;
  onPin: (seat: string) => void;
}): ReactNode {
  const { nf, data, counted, columns, open, onMove, onPin } = props;
  const { core, node, slot = 0 } = nf.seat;
  const name = nf.nf_id.slice(nf.chain.length + 1);
  const unit = data.model.units.find((each) => each.nf?.nf_id === nf.nf_id);
  const slots = unit?.core.slots ?? 1;
  const reason = useActReason();
  return (
    <>
      <tr className={[unit?.limits ? "limits" : "", open ? "with-note" : ""].join(" ").trim() || undefined}>
        <th scope="row">
          <span className="t3">{nf.position + 1}</span> {name}
          {nf.nf_type !== name && <span className="t3"> {nf.nf_type}</span>}
        </th>
        <td>
          <ChainName chain={nf.chain} letters={data.letters} />
        </td>
        <td className="nowrap figure">
          {data.figures === "none" ? <span className="t3">not known</span> : <StateText look={nfLook(nf)} />}
        </td>
        <td>
          <button type="button" className="link" onClick={() => onPin(`${core}/${slot}`)}>
            {node}/{core}
          </button>
        </td>
        <td className="num">{slots > 1 ? `${slot + 1} of ${slots}` : DASH}</td>
        <Flow nf={nf} known={data.figures !== "none"} />
        {counted && <Counted nf={nf} known={data.figures !== "none"} />}
        <Handled nf={nf} known={data.figures !== "none"} />
        <td className={nf.restarts > 0 ? "num strong" : "num t3"}>{nf.restarts}</td>
        <td className="act">
          <Button small onClick={onMove} reason={reason} reasonSide="above" aria-expanded={open}>
            Migrate
          </Button>
        </td>
      </tr>
      {open && (
        <tr className="note">
          <td colSpan={columns}>
            <MigrateForm nf={nf} onClose={onMove} />
          </td>
        </tr>
      )}
    </>
  );
}

function Flow({ nf, known }: { nf: NfView; known: boolean }): ReactNode {
  const sample = known ? nf.sample : null;
  const lost = (sample?.drop_mpps ?? 0) > 0;
  return (
    <>
      <td className="num figure strong">{utilisedText(sample)}</td>
      <td className="num figure">{figure(sample?.headroom_mpps)}</td>
      <td className="num figure">{percent(sample?.cpu_percent)}</td>
      <td className="num figure">{figure(sample?.rx_mpps)}</td>
      <td className="num figure strong">{figure(sample?.tx_mpps)}</td>
      <td className={lost ? "num figure strong" : "num figure"}>{figure(sample?.drop_mpps)}</td>
    </>
  );
}

function Handled({ nf, known }: { nf: NfView; known: boolean }): ReactNode {
  const sample = known ? nf.sample : null;
  return (
    <>
      <td className="num figure">{figure(sample?.filtered_mpps)}</td>
      <td className="num figure">{figure(sample?.cycles_per_packet)}</td>
      <td className="num figure">
        <Ring used={sample?.ring_used_percent ?? null} />
      </td>
    </>
  );
}

function Counted({ nf, known }: { nf: NfView; known: boolean }): ReactNode {
  const sample = known ? nf.sample : null;
  const held = sample ? occupancyOf(sample) : null;
  return (
    <>
      <td className="num figure">{figure(over(sample?.llc_references_per_s, 1e6))}</td>
      <td className="num figure">{percent(sample ? missPercent(sample) : null)}</td>
      <td className="num figure">{figure(over(held, 2 ** 20))}</td>
      <td className="num figure">{figure(over(sample?.memory_local_bytes_per_s, 1e9))}</td>
      <td className="num figure">{figure(over(sample?.memory_remote_bytes_per_s, 1e9))}</td>
    </>
  );
}

const over = (value: number | null | undefined, unit: number) => (value == null ? null : value / unit);

function Ring({ used }: { used: number | null }): ReactNode {
  return (
    <span className="ring-depth">
      <span className="bar" aria-hidden="true">
        {used !== null && <i style={{ width: `${Math.min(100, used)}%` }} />}
      </span>
      <span className="of">{percent(used)}</span>
    </span>
  );
}
