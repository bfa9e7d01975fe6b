/** The operation's log: each step with the clock time at which it ended, for whoever compares it with other logs. */

import type { ReactNode } from "react";
import type { Operation } from "@/api/types";
import { count, when } from "@/lib/format";
import { Section } from "@/ui/section";
import { logOf } from "./log";

/** Of an operation over a thousand hosts the last ones say how it goes; steps are in the table. */
const SHOWN = 200;

export function OperationLog({ operation }: { operation: Operation }): ReactNode {
  const lines = logOf(operation);
  const left = lines.length - SHOWN;
  return (
    <Section title="Log" note={left > 0 ? `without the first ${count(left, "line")}` : undefined} padded>
      <ol className="operation-log" aria-label="Log">
        {lines.slice(-SHOWN).map(({ key, at, where, words, bad }) => (
          <li key={key} className={bad ? "bad" : undefined}>
            <time dateTime={at} title={at}>
              {when(at)}
            </time>
            <span>
              {where && (
                <span className="t2">
                  {where.host} {where.step.toLowerCase()}{" "}
                </span>
              )}
              {words}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
