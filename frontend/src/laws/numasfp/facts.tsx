/** Why chains stay or move on a host: reason, gain against the margin, budget of moves, table of levels, last move. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NumasfpHost } from "@/api/types";
import { ageOrTime, count, duration, shortDigest } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { otherLoad } from "@/operations/outcome-load";
import { Mark, Shape } from "@/ui/marks";
import { Pips } from "./pips";
import { gainAgainstMargin } from "./words";

export function LawFacts({ host }: { host: NumasfpHost }): ReactNode {
  const now = useNow();
  return (
    <dl className="facts section-body">
      <dt>At present</dt>
      <dd>
        <b className="strong">{host.stopped ?? host.reason}</b>
      </dd>
      <dt>Evaluated</dt>
      <dd>{host.evaluated_at ? ageOrTime(host.evaluated_at, now) : "not yet"}</dd>
      <dt>Gain</dt>
      <dd>{gainAgainstMargin(host)}</dd>
      <dt>Moves used</dt>
      <dd>
        <Pips
          n={host.moves.length}
          of={host.budget_moves}
          label={`Chains moved in the last ${duration(host.budget_s)}`}
        />{" "}
        <span className="t2">
          {host.moves.length} of {count(host.budget_moves, "chain")} in {duration(host.budget_s)}; a swap is two
        </span>
      </dd>
      {host.following_published && (
        <>
          <dt>Algorithm</dt>
          <dd>the published one, since it would have carried more</dd>
        </>
      )}
      <dt>Levels</dt>
      <dd>
        <Table table={host.table} />
      </dd>
      <dt>Last change</dt>
      <dd>
        {host.last_outcome ? (
          <>
            {host.last_outcome.worse && <Shape name="warn" />}
            {host.last_outcome.text}
            <span className="t2">{otherLoad(host.last_outcome)}</span>
          </>
        ) : (
          "none yet"
        )}
      </dd>
    </dl>
  );
}

function Table({ table }: { table: NumasfpHost["table"] }): ReactNode {
  if (table === null) {
    return (
      <>
        No levels were promoted for its host model. Measure them on the page of an <Link to="/nf-types">NF type</Link>,
        then promote them.
      </>
    );
  }
  return (
    <>
      <Mark origin={table.provenance} />
      version {table.version} (<span className="mono">{shortDigest(table.digest)}</span>) of{" "}
      {table.nf_types.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <Link to="/nf-types/$name" params={{ name }}>
            {name}
          </Link>
        </span>
      ))}
    </>
  );
}
