/** What does not fit: what is short, where, by how much, and the cheapest thing that would help. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Rejection } from "@/api/types";
import { count } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { Section } from "@/ui/section";

export function DoesNotFit({ rejected }: { rejected: readonly Rejection[] }): ReactNode {
  if (rejected.length === 0) return null;
  return (
    <Section title="Does not fit" note={count(rejected.length, "chain")} padded>
      {rejected.map((rejection) => (
        <div key={rejection.chain} className="rejection">
          <Shape name="warn" />
          <div>
            <p>
              <Link className="strong" to="/chains/$name" params={{ name: rejection.chain }}>
                {rejection.chain}
              </Link>{" "}
              {rejection.short && <>is short of {shortText(rejection.short)}. </>}
              <span className="t2">{rejection.reason}</span>
            </p>
            {rejection.relax && (
              <p className="t2">
                What would help: <span className="relax">{rejection.relax}</span>
              </p>
            )}
          </div>
        </div>
      ))}
    </Section>
  );
}

/** "2 slots or cores on edge-1 node 0". */
export function shortText(short: NonNullable<Rejection["short"]>): string {
  const where = [short.host, short.node === null ? null : `node ${short.node}`].filter(Boolean).join(" ");
  return `${count(short.cores, "place")}${where ? ` on ${where}` : ""}`;
}
