/** Changes rate, execution, CPU and backends of a chain while it runs, and pauses it; shows what came of it. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { adjustChain } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import { nfTypesQuery } from "@/api/queries";
import type { ChainChange, ChainView, NfView } from "@/api/types";
import { PAUSE } from "@/capabilities/cannot";
import { useCannot } from "@/capabilities/use-cannot";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { adjustmentOf, changeableOf, type Edits, EXECUTION, type Execution, RATE, shownText } from "./adjust";
import { AdjustConfigs } from "./adjust-configs";
import { AdjustEffect } from "./adjust-effect";
import { AdjustNfs, NoCpuControl } from "./adjust-nfs";
import { ExecutionField } from "./execution-field";
import { QuotaBoundsFields } from "./quota-bounds-fields";
import { SettingsPrediction } from "./settings-prediction";
import { ShareBoundsFields } from "./share-bounds-fields";
import { useSettingsPrediction } from "./use-settings-prediction";

export function AdjustChain({ chain, nfs }: { chain: ChainView; nfs: ReadonlyMap<string, NfView> }): ReactNode {
  const { spec } = chain;
  const [edits, setEdits] = useState<Edits>({});
  const [begun, setBegun] = useState<number | null>(null);
  const send = useMutation({
    mutationFn: (change: ChainChange) => adjustChain(spec.name, chain.version, change),
    onMutate: () => setBegun(null),
    onSuccess: (operation) => {
      setBegun(operation?.id ?? null);
      if (!operation) setEdits({});
    },
  });
  // Until then the fields show what was asked for, though the specification follows a moment later.
  const ended = useLive(({ operations }) => begun !== null && operations.get(begun)?.state === "COMPLETED");
  useEffect(() => {
    if (ended) setEdits({});
  }, [ended]);
  const types = useQuery(nfTypesQuery).data?.items;
  const changeable = useMemo(() => changeableOf(types ?? []), [types]);
  const { change, errors } = adjustmentOf(spec, edits, changeable);
  const foresight = useSettingsPrediction(spec.name, change);
  const refused = send.error ? asProblem(send.error) : foresight.problem;
  const fieldErrors = [...errors, ...(refused?.errors ?? [])];
  const message = fieldMessages(fieldErrors);
  const edit = (path: string, text: string) => {
    send.reset();
    setEdits({ ...edits, [path]: text });
  };
  const busy = useActReason("chains.write") ?? whyBusy(chain, send.isPending);
  const shares = useCannot(chain, "run-to-completion");
  // Who cannot hold packets back does not send them either.
  const fromOutside = useCannot(chain, PAUSE) !== null;
  return (
    <Section
      title="Adjust"
      note="while it runs"
      end={<PauseButton chain={chain} blocked={busy} onSend={send.mutate} />}
      padded
    >
      <form
        className="adjust"
        aria-label={`Adjust ${spec.name}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (change && !busy) send.mutate(change);
        }}
      >
        <Field
          label="Rate"
          unit="Mpps"
          inputMode="decimal"
          value={shownText(spec, edits, RATE)}
          onChange={(text) => edit(RATE, text)}
          error={message(RATE)}
          hint={fromOutside ? "what plans expect; all packets that arrive from outside are accepted" : undefined}
        />
        <ExecutionField
          value={shownText(spec, edits, EXECUTION) as Execution}
          onChange={(value) => edit(EXECUTION, value)}
          error={message(EXECUTION)}
          blocked={shares}
        />
        <AdjustNfs chain={chain} nfs={nfs} edits={edits} onEdit={edit} message={message} />
        <NoCpuControl chain={chain} />
        <ShareBoundsFields chain={chain} edits={edits} onEdit={edit} message={message} />
        <QuotaBoundsFields chain={chain} edits={edits} onEdit={edit} message={message} />
        <AdjustConfigs spec={spec} changeable={changeable} edits={edits} onEdit={edit} errors={fieldErrors} />
        <div className="row-actions">
          <Button
            small
            type="submit"
            look="primary"
            reason={busy ?? whyNot(change, errors.length)}
            reasonSide="below-left"
          >
            Adjust
          </Button>
          {Object.keys(edits).length > 0 && (
            <Button small look="quiet" onClick={() => setEdits({})}>
              Reset
            </Button>
          )}
          {change && (
            <CopyButton text={cli.adjustChain(spec.name, change)} curl={curls.adjustChain(spec.name, change)} />
          )}
        </div>
        <SettingsPrediction
          foresight={send.error ? { ...foresight, problem: null } : foresight}
          changed={change !== null}
          broken={errors.map(({ field }) => field)}
        />
      </form>
      {send.error && <ProblemNote problem={asProblem(send.error)} onDismiss={() => send.reset()} />}
      {begun !== null && <AdjustEffect chain={chain} operationId={begun} />}
    </Section>
  );
}

function whyBusy(chain: ChainView, sending: boolean): string | null {
  if (sending) return "The change is being sent.";
  if (chain.state === "applying") return "An operation is running on this chain.";
  return chain.state === "removing" ? "It is being removed." : null;
}

function whyNot(change: ChainChange | null, errors: number): string | null {
  if (errors > 0) return "Correct the marked fields first.";
  return change ? null : "Nothing has been changed.";
}

function PauseButton(props: {
  chain: ChainView;
  blocked: string | null;
  onSend: (change: ChainChange) => void;
}): ReactNode {
  const { chain, blocked, onSend } = props;
  const { paused } = chain.spec;
  const cannot = useCannot(chain, PAUSE);
  return (
    <Button
      small
      reason={blocked ?? (paused ? null : cannot)}
      reasonSide="below-left"
      onClick={() => onSend({ paused: !paused, nfs: {} })}
    >
      {paused ? "Resume" : "Pause"}
    </Button>
  );
}
