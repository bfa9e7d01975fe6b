/** The result and the scenario as files. */

import type { ReactNode } from "react";
import type { Study } from "@/api/types";
import { Button } from "@/ui/button";
import { Section } from "@/ui/section";
import { TextFile } from "@/ui/text-file";

export function Downloads({ study, toml }: { study: Study; toml: string | undefined }): ReactNode {
  const file = `study-${study.id}-${study.name}`;
  return (
    <Section title="Files" padded>
      <div className="row-actions tight">
        {study.state === "done" ? (
          <a className="btn small" href={`/api/v1/studies/${study.id}/result`} download={`${file}.json`}>
            Result, JSON
          </a>
        ) : (
          <Button small reason="There is a result when it is done." reasonSide="below-left">
            Result, JSON
          </Button>
        )}
        {toml !== undefined && (
          <TextFile text={toml} name={`${file}.toml`} label="Scenario, TOML" type="application/toml" />
        )}
      </div>
    </Section>
  );
}
