/** What was expected against what is there: why a plan was refused. */

import type { ReactNode } from "react";

export interface DifferenceRow {
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** {host: {expected, actual}} as rows; values may be numbers, texts or small objects. */
export function differenceRows(difference: Record<string, unknown> | null | undefined): DifferenceRow[] {
  return Object.entries(difference ?? {}).flatMap(([what, value]) => {
    if (typeof value !== "object" || value === null) return [];
    const { expected, actual } = value as { expected?: unknown; actual?: unknown };
    return [{ what, expected: wordOf(expected), actual: wordOf(actual) }];
  });
}

function wordOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${String(inner).replace(/^(sha256:.{8}).*/, "$1")}`)
    .join(", ");
}

export function Difference({ difference }: { difference: Record<string, unknown> | null | undefined }): ReactNode {
  const rows = differenceRows(difference);
  if (rows.length === 0) return null;
  return (
    <table className="difference" aria-label="Difference">
      <thead>
        <tr>
          <th scope="col">Host</th>
          <th scope="col">The plan was made for</th>
          <th scope="col">It is now at</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.what}>
            <td>{row.what}</td>
            <td>{row.expected}</td>
            <td>{row.actual}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
