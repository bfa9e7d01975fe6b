/** What is shown, and sorted by, of an NF on a host. */

import type { ReactNode } from "react";
import type { NfSample, NfView } from "@/api/types";
import { CpuFigure } from "@/fleet/cpu";
import type { Unit } from "@/fleet/model";
import { tiedWords } from "@/fleet/ties";
import { utilisationOf, utilisedText } from "@/fleet/utilisation";
import { missPercent, occupancyOf } from "@/interference/counters";
import { DASH, figure, percent } from "@/lib/format";
import { useActReason } from "@/session/permission";
import { nfLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Button } from "@/ui/button";
import type { SortableColumn } from "@/ui/sortable-table";
import { ChainName } from "./chain-tag";
import type { Letters } from "./letters";

export type NfForm = "migrate" | "resources";

export interface NfRow {
  readonly nf: NfView;
  readonly unit: Unit | undefined;
  /** Null where nobody knows how it is now. */
  readonly sample: NfSample | null;
  readonly known: boolean;
  readonly letters: Letters;
  /** Those of other chains that are one element with it. */
  readonly tied: readonly string[] | undefined;
  /** The form that stands open under its row. */
  readonly open: NfForm | null;
  readonly onOpen: (form: NfForm) => void;
  readonly onPin: (seat: string) => void;
}

type NfColumn = SortableColumn<NfRow>;

const nameOf = ({ nf }: NfRow) => nf.nf_id.slice(nf.chain.length + 1);
const over = (value: number | null | undefined, unit: number) => (value == null ? null : value / unit);

/** A column of figures: sorted by what is shown, the greatest first. */
function measured(
  key: string,
  head: string,
  value: (sample: NfSample) => number | null | undefined,
  more: Partial<NfColumn> & { text?: (value: number | null | undefined) => string } = {},
): NfColumn {
  const { text = figure, ...column } = more;
  const of = ({ sample }: NfRow) => (sample ? (value(sample) ?? null) : null);
  return {
    key,
    head,
    align: "right",
    className: "figure",
    sort: of,
    descendingFirst: true,
    cell: (row) => text(of(row)),
    ...column,
  };
}

/** They go first where the table is narrow. */
function secondRank(columns: readonly NfColumn[]): NfColumn[] {
  return columns.map((column) => ({ ...column, secondRank: true }));
}

/** They go before those. */
function thirdRank(columns: readonly NfColumn[]): NfColumn[] {
  return secondRank(columns).map((column) => ({ ...column, thirdRank: true }));
}

const lost = ({ sample }: NfRow) => (sample?.drop_mpps ?? 0) > 0;

const WHO: readonly NfColumn[] = [
  {
    key: "nf",
    head: "NF",
    rowHead: true,
    sort: nameOf,
    cell: (row) => (
      <>
        <span className="t3">{row.nf.position + 1}</span> {nameOf(row)}
        {row.nf.nf_type !== nameOf(row) && <span className="t3"> {row.nf.nf_type}</span>}
        {row.tied && <span className="t3">, {tiedWords(null, row.tied)}</span>}
      </>
    ),
  },
  {
    key: "chain",
    head: "Chain",
    sort: ({ nf }) => nf.chain,
    cell: ({ nf, letters }) => <ChainName chain={nf.chain} letters={letters} />,
  },
  {
    key: "state",
    head: "State",
    className: "nowrap figure",
    sort: ({ nf, known }) => (known ? nfLook(nf).words : null),
    cell: ({ nf, known }) => (known ? <StateText look={nfLook(nf)} /> : <span className="t3">not known</span>),
  },
  {
    key: "core",
    head: "Node/core",
    sort: ({ nf }) => `${nf.seat.node}/${nf.seat.core}`,
    cell: ({ nf: { seat }, onPin }) => (
      <button type="button" className="link" onClick={() => onPin(`${seat.core}/${seat.slot ?? 0}`)}>
        {seat.node}/{seat.core}
      </button>
    ),
  },
  {
    key: "slot",
    head: "Slot",
    secondRank: true,
    align: "right",
    cell: ({ nf, unit }) => {
      const slots = unit?.core.slots ?? 1;
      return slots > 1 ? `${(nf.seat.slot ?? 0) + 1} of ${slots}` : DASH;
    },
  },
];

const FLOW: readonly NfColumn[] = [
  measured("utilisation", "Utilisation, %", (sample) => utilisationOf(sample)?.value, {
    title: "Share of its core's time spent on packets",
    className: "figure strong",
    cell: ({ sample }) => utilisedText(sample),
  }),
  measured("headroom", "Headroom, Mpps", ({ headroom_mpps }) => headroom_mpps, {
    title: "How much more it could carry before it drops packets",
  }),
  measured("cpu", "CPU, %", ({ cpu_percent }) => cpu_percent, {
    title: "CPU time of the NF's thread over wall time: 100 % where it polls",
    cell: ({ sample }) => <CpuFigure sample={sample} />,
  }),
  measured("in", "In, Mpps", ({ rx_mpps }) => rx_mpps),
  measured("out", "Out, Mpps", ({ tx_mpps }) => tx_mpps, { className: "figure strong" }),
  measured("drops", "Drops, Mpps", ({ drop_mpps }) => drop_mpps, {
    title: "Lost because its ring was full or because it could not pass them on",
    className: (row) => (lost(row) ? "figure strong" : "figure"),
  }),
];

/** Of hosts with hardware counters; the picture of the host has layers of the same. */
const COUNTED: readonly NfColumn[] = thirdRank([
  measured("llc", "LLC, M/s", (sample) => over(sample.llc_references_per_s, 1e6), {
    title: "References to the last-level cache, millions a second",
  }),
  measured("missed", "missed, %", missPercent, {
    title: "Share of its references to the last-level cache that went to memory",
    text: percent,
  }),
  measured("held", "LLC, MB", (sample) => over(occupancyOf(sample), 2 ** 20), {
    title: "How much of its node's last-level cache its lines occupy",
  }),
  measured("local", "Local, GB/s", (sample) => over(sample.memory_local_bytes_per_s, 1e9), {
    title: "Read and written in memory of its own node",
  }),
  measured("remote", "Remote, GB/s", (sample) => over(sample.memory_remote_bytes_per_s, 1e9), {
    title: "Read and written in memory of other nodes, across the link",
  }),
]);

const REST: readonly NfColumn[] = secondRank([
  measured("filtered", "Filtered, Mpps", ({ filtered_mpps }) => filtered_mpps, {
    title: "Dropped by its rules; not counted as a loss",
  }),
  measured("cycles", "Cycles a packet", ({ cycles_per_packet }) => cycles_per_packet),
  measured("ring", "Ring, %", ({ ring_used_percent }) => ring_used_percent, {
    title: "How full the ring before the NF is",
    cell: ({ sample }) => <Ring used={sample?.ring_used_percent ?? null} />,
  }),
  {
    key: "restarts",
    head: "Restarts",
    align: "right",
    className: ({ nf }) => (nf.restarts > 0 ? "strong" : "t3"),
    sort: ({ nf }) => nf.restarts,
    descendingFirst: true,
    cell: ({ nf }) => nf.restarts,
  },
]);

const ACT: readonly NfColumn[] = [
  {
    key: "actions",
    head: "Actions",
    headHidden: true,
    fixed: true,
    className: "act",
    cell: (row) => (
      <>
        <OpenButton {...row} form="migrate" text="Migrate" /> <OpenButton {...row} form="resources" text="Resources" />
      </>
    ),
  },
];

/** What counters report stands after the drops. */
export const NF_COLUMNS: readonly NfColumn[] = [...WHO, ...FLOW, ...COUNTED, ...REST, ...ACT];
export const UNCOUNTED_NF_COLUMNS: readonly NfColumn[] = [...WHO, ...FLOW, ...REST, ...ACT];

function OpenButton({ open, onOpen, form, text }: NfRow & { form: NfForm; text: string }): ReactNode {
  return (
    <Button
      small
      onClick={() => onOpen(form)}
      reason={useActReason("plans.apply")}
      reasonSide="above"
      aria-expanded={open === form}
    >
      {text}
    </Button>
  );
}

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
