/** The tab of SRv6-INT's global loop: hosts, the host that is open with its chains, policy and parameters. */

import type { ReactNode } from "react";
import { changeSrv6Parameters, readSrv6Parameters, SRV6, SRV6_PARAMETERS } from "@/api/srv6-queries";
import { LawParameters, type LawParametersOf } from "@/automation/law-parameters";
import { PolicySteps } from "@/automation/policy-steps";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Srv6HostView } from "./host-view";
import { HostsTable } from "./hosts-table";
import { FIELDS } from "./parameter-fields";
import type { Srv6Change, Srv6Search } from "./search";

const LAW = { law: SRV6, title: "SRv6-INT" } as const;
const PARAMETERS: LawParametersOf = {
  whose: "SRv6-INT’s",
  title: "When it changes lanes",
  fields: FIELDS,
  queryKey: SRV6_PARAMETERS,
  read: readSrv6Parameters,
  change: changeSrv6Parameters,
  cli: cli.setSrv6Parameters,
  curl: curls.setSrv6Parameters,
};

export function Srv6Tab(props: {
  stopped: boolean;
  search: Srv6Search;
  onChange: (change: Srv6Change) => void;
}): ReactNode {
  const { stopped, search, onChange } = props;
  return (
    <>
      {stopped && (
        <p className="section-body warn">
          All control laws are stopped: nothing is recommended, and no lanes are changed. Agents go on setting quotas
          within the bounds of their orders.
        </p>
      )}
      <HostsTable search={search} onChange={onChange} />
      {search.host ? (
        <Srv6HostView key={search.host} name={search.host} />
      ) : (
        <p className="section-body below-table t2">
          Choose a host to see its chains lane by lane, which NF needs more, and what would change.
        </p>
      )}
      <PolicySteps law={LAW} host={search.host ?? null} />
      <LawParameters of={PARAMETERS} />
    </>
  );
}
