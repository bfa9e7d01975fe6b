/** Who hurts whom on the host as it is ordered now; asked of the engine only when somebody looks. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { hostInterferenceQuery } from "@/api/queries";
import { Hurts } from "@/interference/hurts";
import { cli } from "@/session/cli";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

export function WhoHurtsWhom(props: { host: string; open: boolean; onToggle: (open: boolean) => void }): ReactNode {
  const { host, open, onToggle } = props;
  const { data, error } = useQuery({ ...hostInterferenceQuery(host), enabled: open });
  return (
    <Section
      title="Who hurts whom"
      note={
        data && open ? (
          <>
            <Mark origin={data.provenance} />
            {data.provenance}, Mpps lost
          </>
        ) : (
          "what NFs lose to each other, by the engine's model"
        )
      }
      end={
        <>
          {open && <CopyButton text={cli.hostHurts(host)} />}
          <button type="button" className="btn small" aria-expanded={open} onClick={() => onToggle(!open)}>
            {open ? "Hide" : "Show"}
          </button>
        </>
      }
    >
      {open && error && <PartProblem problem={asProblem(error)} />}
      {open && data && <Hurts interference={data} />}
      {open && !data && !error && <p className="section-body late t2">Asking the engine</p>}
    </Section>
  );
}
