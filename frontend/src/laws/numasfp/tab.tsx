/** The tab of NUMASFP's law: policy, parameters, hosts, and the host that is open. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { changeNumasfpParameters, NUMASFP, numasfpParametersQuery, readNumasfpParameters } from "@/api/numasfp-queries";
import { LawParameters, type LawParametersOf } from "@/automation/law-parameters";
import { PolicySteps } from "@/automation/policy-steps";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { LawHost } from "./host-view";
import { HostsTable } from "./hosts-table";
import { FIELDS } from "./parameter-fields";
import type { LawChange, LawSearch } from "./search";

const LAW = { law: NUMASFP, title: "NUMASFP" } as const;
const PARAMETERS: LawParametersOf = {
  whose: "NUMASFP’s",
  title: "When it moves chains",
  fields: FIELDS,
  queryKey: numasfpParametersQuery.queryKey,
  read: readNumasfpParameters,
  change: changeNumasfpParameters,
  cli: cli.setNumasfpParameters,
  curl: curls.setNumasfpParameters,
};

export function NumasfpTab(props: {
  stopped: boolean;
  search: LawSearch;
  onChange: (change: LawChange) => void;
}): ReactNode {
  const { stopped, search, onChange } = props;
  return (
    <>
      {stopped && (
        <p className="section-body warn">
          All control laws are stopped: agents keep ways and bandwidth as they are, nothing is recommended, nothing
          moves.
        </p>
      )}
      <HostsTable search={search} onChange={onChange} />
      {search.host ? (
        <LawHost key={search.host} name={search.host} />
      ) : (
        <p className="section-body below-table t2">
          Choose a host to see its nodes, chains and what the law does there. The law goes by{" "}
          <Link to="/nf-types">levels of NF types</Link>.
        </p>
      )}
      <PolicySteps law={LAW} host={search.host ?? null} />
      <LawParameters of={PARAMETERS} />
    </>
  );
}
