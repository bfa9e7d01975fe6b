/** Whose figures a page's history shows: the page's own, an NF's or a core's. Pure. */

import type { Subject } from "@/api/history-queries";
import type { History } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import type { RangeChartProps, RangeLine } from "@/ui/range-chart";
import { originsOf, pointsOf } from "./points";

/** As an address holds it: `core-3`, `nf-web.firewall`. */
export interface SubjectSearch {
  of?: string;
}

export function subjectSearch(raw: Record<string, unknown>): SubjectSearch {
  return typeof raw.of === "string" && /^(core-\d{1,5}|nf-[a-z0-9.-]{1,130})$/.test(raw.of) ? { of: raw.of } : {};
}

/** Null: the page's own. */
export function subjectOf({ of }: SubjectSearch, host: string | null): Subject | null {
  if (of?.startsWith("nf-")) return { kind: "nf", nf: of.slice(3) };
  if (of?.startsWith("core-") && host !== null) return { kind: "core", host, core: Number(of.slice(5)) };
  return null;
}

/** What the address of its figures names. */
export function partsOf(of: Subject): readonly (string | number)[] {
  if (of.kind === "nf") return ["nfs", of.nf];
  return of.kind === "core" ? ["hosts", of.host, "cores", of.core] : ["hosts", of.host];
}

export function commandOf(of: Subject, from: string, to: string): { text: string; curl: string } {
  if (of.kind === "nf") return { text: cli.nfHistory(of.nf, from, to), curl: curls.nfHistory(of.nf, from, to) };
  if (of.kind === "core") {
    return { text: cli.coreHistory(of.host, of.core, from, to), curl: curls.coreHistory(of.host, of.core, from, to) };
  }
  return { text: cli.hostHistory(of.host, from, to), curl: curls.hostHistory(of.host, from, to) };
}

type Chart = Pick<RangeChartProps, "label" | "lines" | "format">;

export function chartsOf(of: Subject, history: History): Chart[] {
  const look = originsOf(history).includes("measured") ? "measured" : "simulated";
  const main = (name: string, key: string): RangeLine => ({ name, look, points: pointsOf(history, key), band: true });
  const quiet = (name: string, key: string): RangeLine => ({ name, look: "quiet", points: pointsOf(history, key) });
  const share = (value: number) => `${percent(value)} %`;
  if (of.kind === "core") {
    return [{ label: `use of core ${of.core} of ${of.host}`, lines: [main("busy", "busy_percent")], format: share }];
  }
  if (of.kind === "host") {
    const lines = [main("delivered by all chains, Mpps", "delivered_mpps"), quiet("offered", "offered_mpps")];
    return [{ label: `throughput of ${of.host}`, lines, format: figure }];
  }
  const used = main("utilisation", "utilisation_percent");
  const cpu = quiet("CPU", "cpu_percent");
  const reported = used.points.some(({ mean }) => mean !== null);
  return [
    {
      label: `throughput of ${of.nf}`,
      lines: [main("received, Mpps", "rx_mpps"), quiet("dropped", "drop_mpps")],
      format: figure,
    },
    { label: `load of ${of.nf}`, lines: reported ? [used, cpu] : [{ ...cpu, look, band: true }], format: share },
  ];
}
