/** What a job would measure, before it starts: points by purpose, time, what is known, what the host cannot measure. */

import type { ReactNode } from "react";
import type { ProfilingDesign } from "@/api/types";
import { count, duration } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { byPurpose } from "./setting";

/** `waiting`: what is shown is of the ask before; the next one is on its way. */
export function DesignView({ design, waiting }: { design: ProfilingDesign; waiting: boolean }): ReactNode {
  const purposes = byPurpose(design.points);
  const left = design.points.length;
  return (
    <section className={waiting ? "design t3" : "design"} aria-label="Design" aria-busy={waiting}>
      <p role="status">
        <b className="strong">{left === 0 ? "Nothing to measure" : count(left, "point")}</b>
        {left > 0 && <>, about {duration(design.expected_s)}</>}
        {left > 0 && design.most_s > design.expected_s && `, at most ${duration(design.most_s)}`}
        {design.known > 0 && (
          <span className="t2">
            {left > 0 ? "; " : ": "}
            {count(design.known, left > 0 ? "further point" : "point")} already measured at these versions, not repeated
          </span>
        )}
        .
      </p>
      {left === 0 && <p className="t2">Starting it fits a model to the existing measurements.</p>}
      {purposes.length > 0 && (
        <table aria-label="Points by purpose">
          <tbody>
            {purposes.map(({ title, measures, points }) => (
              <tr key={title}>
                <td>{title}</td>
                <td className="num">{points}</td>
                <td className="t3">{measures}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <LeftOut reasons={design.left_out} />
      {design.no_model && (
        <p className="warn">
          <Shape name="warn" />
          It will give no model: {design.no_model}.
        </p>
      )}
      {design.roomier_host && (
        <p className="t2">
          {design.roomier_host}, of the same model, has more free cores on the node where packets arrive.
        </p>
      )}
    </section>
  );
}

/** What a host cannot measure, each with the reason; nothing where it can measure all. */
export function LeftOut({ reasons }: { reasons: readonly string[] }): ReactNode {
  if (reasons.length === 0) return null;
  return (
    <ul className="left-out" aria-label="Left out">
      {reasons.map((reason) => (
        <li key={reason} className="t2">
          <Shape name="idle" />
          left out: {reason}
        </li>
      ))}
    </ul>
  );
}
