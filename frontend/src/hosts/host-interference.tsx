/** Interference on the host as it is ordered now; requested from the engine only when opened. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { hostInterferenceQuery } from "@/api/queries";
import { InterferenceMatrices } from "@/interference/matrices";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

export function HostInterference(props: { host: string; open: boolean; onToggle: (open: boolean) => void }): ReactNode {
  const { host, open, onToggle } = props;
  const { data, error } = useQuery({ ...hostInterferenceQuery(host), enabled: open });
  return (
    <Section
      title="Interference"
      note={
        data && open ? (
          <>
            <Mark origin={data.provenance} />
            {data.provenance}, Mpps lost
          </>
        ) : (
          "throughput that NFs lose to each other, predicted by the engine's model"
        )
      }
      end={
        <>
          {open && <CopyButton text={cli.hostInterference(host)} curl={curls.hostInterference(host)} />}
          <button type="button" className="btn small" aria-expanded={open} onClick={() => onToggle(!open)}>
            {open ? "Hide" : "Show"}
          </button>
        </>
      }
    >
      {open && error && <PartProblem problem={asProblem(error)} />}
      {open && data && <InterferenceMatrices interference={data} />}
      {open && !data && !error && <p className="section-body late t2">Loading from the engine</p>}
    </Section>
  );
}
