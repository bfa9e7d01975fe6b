/** The tab of CoCo's law: hosts whose NFs share cores, the host that is open, policy and parameters. */

import type { ReactNode } from "react";
import { COCO, COCO_PARAMETERS, changeCocoParameters, readCocoParameters } from "@/api/coco-queries";
import { LawParameters, type LawParametersOf } from "@/automation/law-parameters";
import { PolicySteps } from "@/automation/policy-steps";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CocoHostView } from "./host-view";
import { HostsTable } from "./hosts-table";
import { FIELDS } from "./parameter-fields";
import type { CocoChange, CocoSearch } from "./search";

const LAW = { law: COCO, title: "CoCo" } as const;
const PARAMETERS: LawParametersOf = {
  whose: "CoCo’s",
  title: "When it pushes neighbours aside",
  fields: FIELDS,
  queryKey: COCO_PARAMETERS,
  read: readCocoParameters,
  change: changeCocoParameters,
  cli: cli.setCocoParameters,
  curl: curls.setCocoParameters,
};

export function CocoTab(props: {
  stopped: boolean;
  search: CocoSearch;
  onChange: (change: CocoChange) => void;
}): ReactNode {
  const { stopped, search, onChange } = props;
  return (
    <>
      {stopped && (
        <p className="section-body warn">All control laws are stopped: nothing is recommended, nothing is pushed.</p>
      )}
      <HostsTable search={search} onChange={onChange} />
      {search.host ? (
        <CocoHostView key={search.host} name={search.host} />
      ) : (
        <p className="section-body below-table t2">
          Choose a host to see its cores, what NFs need of them, and who would be pushed aside.
        </p>
      )}
      <PolicySteps law={LAW} host={search.host ?? null} />
      <LawParameters of={PARAMETERS} />
    </>
  );
}
