/** One host whose NFs share cores, each second. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { sharedCoresQuery } from "@/api/sfc2cpu-queries";
import type { SharingHost } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { Rebalance } from "./assigning";
import { ChangesTable } from "./changes-table";
import { CoreBars } from "./core-bars";
import { HostCosts } from "./host-cost";
import { NfsTable } from "./nfs-table";

export function SharedCoresOfHost({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(sharedCoresQuery(name));
  return (
    <Section
      title={`Host ${name}`}
      note={data && <Note host={data} />}
      end={
        <>
          <Link to="/hosts/$id" params={{ id: name }}>
            Page of the host
          </Link>{" "}
          <CopyButton text={cli.sharedCores(name)} curl={curls.sharedCores(name)} />{" "}
          <Rebalance host={name} assigner={data?.assigner} />
        </>
      }
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading host {name}</p>}
      {data?.stopped && <p className="section-body warn">{data.stopped}: shares stay as they are.</p>}
      {data && data.cores.length === 0 && (
        <p className="section-body t2">Every NF of this host has a core of its own: nothing is shared.</p>
      )}
      {data && data.cores.length > 0 && (
        <>
          <CoreBars host={data} />
          <NfsTable host={data} />
          <HostCosts host={data} />
          <ChangesTable host={data} />
        </>
      )}
    </Section>
  );
}

function Note({ host: { provenance, measured_at } }: { host: SharingHost }): ReactNode {
  const now = useNow();
  if (!provenance) return "nothing was measured lately";
  return (
    <>
      <Mark origin={provenance} />
      {provenance}, {ageOrTime(measured_at, now)}
    </>
  );
}
