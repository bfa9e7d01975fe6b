/** All points of a job by purpose: what stands where, how far it is, what was measured, or why it could not be. */

import { Fragment, type ReactNode } from "react";
import type { ProfilingPoint } from "@/api/types";
import { count, DASH, figure } from "@/lib/format";
import { pointLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Mark, type Origin } from "@/ui/marks";
import { chainText, othersText, PURPOSES } from "./setting";

/** Columns of the table, without that of delays. */
const COLUMNS = 7;

export function PointsTable(props: { points: readonly ProfilingPoint[]; origin: Origin; most: number }): ReactNode {
  const { points, origin, most } = props;
  const delays = points.some(({ setting }) => setting.purpose === "hop");
  const columns = delays ? COLUMNS + 1 : COLUMNS;
  return (
    <table className="points" aria-label="Points">
      <thead>
        <tr>
          <th scope="col" className="num">
            No.
          </th>
          <th scope="col">Setting</th>
          <th scope="col">State</th>
          <th scope="col" className="num">
            Samples
          </th>
          <th scope="col" className="num second-rank">
            Void
          </th>
          <th scope="col" className="num">
            <Mark origin={origin} />
            Mpps
          </th>
          <th scope="col" className="num">
            <Mark origin={origin} />
            Drop, points
          </th>
          {delays && (
            <th scope="col" className="num" title="So much longer a packet takes than in one process">
              <Mark origin={origin} />
              Delay, us
            </th>
          )}
        </tr>
      </thead>
      {PURPOSES.map(({ key, title, measures }) => {
        const own = points.filter(({ setting }) => setting.purpose === key);
        if (own.length === 0) return null;
        const done = own.filter(({ state }) => state === "done" || state === "not_measurable").length;
        return (
          <tbody key={key}>
            <tr className="group">
              <th scope="rowgroup" colSpan={columns}>
                <b className="strong">{title}</b>{" "}
                <span className="t3">
                  {measures}; {done} of {count(own.length, "point")}
                </span>
              </th>
            </tr>
            {own.map((point) => (
              <PointRow key={point.id} point={point} most={most} delays={delays} columns={columns} />
            ))}
          </tbody>
        );
      })}
    </table>
  );
}

function PointRow(props: { point: ProfilingPoint; most: number; delays: boolean; columns: number }): ReactNode {
  const { point, most, delays, columns } = props;
  const { number, setting, state, samples, progress, mpps, drop_percent: drop } = point;
  const running = state === "running";
  const why = whyText(point);
  return (
    <>
      <tr className={why ? "with-note" : ""} data-point={number}>
        <td className="num t3">{number + 1}</td>
        <td>
          {othersText(setting)}
          <span className="t3"> · {chainText(setting)}</span>
        </td>
        <td className={running ? "running-cell" : undefined}>
          <StateText look={pointLook(point)} />
          {point.tries > 1 && <span className="t3"> try {point.tries}</span>}
        </td>
        <td className="num">
          {running && progress ? `${progress.samples} of ${progress.limit || most}` : samples > 0 ? samples : DASH}
        </td>
        <td className="num second-rank">{(point.void_tries ?? 0) > 0 ? point.void_tries : DASH}</td>
        <Estimated value={mpps} />
        <Estimated value={drop} />
        {delays && <Estimated value={point.delay_us} />}
      </tr>
      {why && (
        <tr className="note">
          <td />
          <td colSpan={columns - 1} className={state === "failed" ? "bad" : "t3"}>
            {why}
          </td>
        </tr>
      )}
    </>
  );
}

function Estimated({ value }: { value: ProfilingPoint["mpps"] | undefined }): ReactNode {
  if (!value) return <td className="num t3">{DASH}</td>;
  return (
    <td className="num nowrap">
      {figure(value.value)}
      {value.half_width != null && <span className="t3"> ± {figure(value.half_width)}</span>}
    </td>
  );
}

/** Why it has no figure, or what it waits for; null where there is nothing to say. */
function whyText({ error, note, progress, state }: ProfilingPoint): ReactNode {
  if (error) {
    return (
      <>
        {error.detail}
        {(error.next_actions ?? []).map(({ label, command }) => (
          <Fragment key={label}>
            {" "}
            {label}
            {command && (
              <>
                {" "}
                <code className="command">{command}</code>
              </>
            )}
            .
          </Fragment>
        ))}
      </>
    );
  }
  if (note) return note;
  return state === "running" && progress?.note ? `${progress.stage}: ${progress.note}` : null;
}
