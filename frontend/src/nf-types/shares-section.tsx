/** Shares of an NF type on a host model: what part of a core it takes by its rate, and which version is in use. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { decideShares } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { SHARES, sharesQuery } from "@/api/share-queries";
import type { SharesVersion } from "@/api/types";
import { count } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { MeasureShares } from "./measure-shares";
import { hopsText, lineText, whyNotPromoted } from "./shares";
import { SharesChart } from "./shares-chart";

export function SharesSection(props: { nfType: string; hostModel: string; hosts: readonly string[] }): ReactNode {
  const { nfType, hostModel, hosts } = props;
  const { data, error } = useQuery(sharesQuery(nfType));
  const [chosen, setChosen] = useState<string | null>(null);
  const versions = (data?.items ?? []).filter(({ host_model }) => host_model === hostModel);
  const shown =
    versions.find(({ id }) => String(id) === chosen) ??
    versions.find(({ state }) => state === "promoted") ??
    versions[0];
  return (
    <Section
      title="Shares"
      note="the part of a core that it takes by its rate"
      end={<MeasureShares nfType={nfType} hosts={hosts} />}
    >
      {error && !data && <PartProblem problem={asProblem(error)} />}
      {!error && !data && <p className="section-body t2 late">Loading shares</p>}
      {data && !shown && (
        <p className="section-body t2">Never measured on this host model. CoCo goes by the slope of each second.</p>
      )}
      {shown && (
        <div className="section-body">
          {versions.length > 1 && (
            <Choose
              label="Version"
              value={String(shown.id)}
              choices={versions.map((one) => ({ key: String(one.id), text: `${one.version}`, note: one.state }))}
              onChange={setChosen}
            />
          )}
          <Facts version={shown} />
        </div>
      )}
      {shown && <SharesChart version={shown} />}
    </Section>
  );
}

function Facts({ version }: { version: SharesVersion }): ReactNode {
  const { measured } = version;
  const hops = hopsText(version);
  return (
    <>
      <p>
        <Shape name={version.state === "promoted" ? "ok" : "idle"} />
        Version {version.version}: <b className="strong">{version.state}</b>. {lineText(version)}.{" "}
        <Mark origin={version.provenance} />
        {version.provenance} on {version.host} by{" "}
        <Link to="/profiling/$id" params={{ id: String(version.job_id) }}>
          job {version.job_id}
        </Link>
        <span className="t2">
          : packets of {measured.packet_bytes} bytes, {count(measured.flows, "flow")}
        </span>
      </p>
      {hops && <p>{hops}. Plans by CoCo go by it while the version is promoted.</p>}
      {version.stale && (
        <p className="warn">
          <Shape name="warn" />
          {version.stale}.
        </p>
      )}
      <Decide version={version} />
    </>
  );
}

function Decide({ version }: { version: SharesVersion }): ReactNode {
  const blocked = useActReason("models.promote");
  const client = useQueryClient();
  const what = version.state === "promoted" ? "retire" : "promote";
  const order = useMutation({
    mutationFn: () => decideShares(what, version.id),
    onSettled: () => void client.invalidateQueries({ queryKey: SHARES }),
  });
  const why = what === "promote" ? whyNotPromoted(version) : null;
  return (
    <>
      <div className="row-actions">
        <Button
          small
          reason={why ?? blocked ?? (order.isPending ? "It is being decided." : null)}
          onClick={() => order.mutate()}
        >
          {what === "retire" ? "Retire" : "Promote"}
          <span className="hidden-text"> version {version.version} of the shares</span>
        </Button>
        <CopyButton text={cli.showShares(version.id)} curl={curls.showShares(version.id)} />
      </div>
      {order.error && <ProblemNote problem={asProblem(order.error)} />}
    </>
  );
}
