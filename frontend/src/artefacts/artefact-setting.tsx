/** A setting that names a file: chosen among those that are stored, or uploaded in place. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { asProblem } from "@/api/problem";
import { artefactChoicesQuery, artefactQuery } from "@/api/queries";
import type { Artefact, ArtefactKind, FileKind } from "@/api/types";
import { shortDigest, sizeText } from "@/lib/format";
import { useActReason } from "@/session/permission";
import { Choose } from "@/ui/choose";
import { PartProblem } from "@/ui/part-problem";
import type { Choice } from "@/ui/select";
import { FileDrop } from "./file-drop";
import { UploadList } from "./upload-list";
import { useUploads } from "./uploads";

const NONE = "none";

export function ArtefactSetting(props: {
  setting: ArtefactKind;
  kind: FileKind;
  /** The digest that the configuration names; null: none. */
  value: string | null;
  errors: readonly string[];
  onChange: (digest: string | null) => void;
}): ReactNode {
  const { setting, kind, value, errors, onChange } = props;
  const stored = useQuery(artefactChoicesQuery(kind));
  const known = stored.data?.items ?? [];
  const listed = value === null || known.some(({ digest }) => digest === value);
  const other = useQuery({ ...artefactQuery(value ?? ""), enabled: value !== null && stored.isSuccess && !listed });
  const uploads = useUploads(kind, (artefact) => onChange(artefact.digest));
  const reason = useActReason("artefacts.write");
  const id = useId();
  const choices = choicesOf(other.data ? [other.data, ...known] : known, value, setting.max_bytes);
  return (
    <fieldset className="artefact-setting" aria-describedby={id}>
      <legend className="hidden-text">{setting.name}</legend>
      <Choose
        label={setting.name}
        value={value ?? NONE}
        choices={choices}
        onChange={(key) => onChange(key === NONE ? null : key)}
      />
      <div className="artefact-place">
        <p className="message t3" id={id}>
          {setting.description}. At most {sizeText(setting.max_bytes)}.
        </p>
        {errors.length > 0 && (
          <p className="message bad" role="alert">
            {errors.join("\n")}
          </p>
        )}
        {stored.error && <PartProblem problem={asProblem(stored.error)} />}
        <FileDrop
          label={`Drop a file of ${kind} here, or `}
          button="Upload one"
          reason={reason}
          onFiles={(files) => uploads.add(files)}
        />
        <UploadList uploads={uploads} />
      </div>
    </fieldset>
  );
}

/** None, every file that fits, and what the configuration names although it is not stored. */
function choicesOf(known: readonly Artefact[], value: string | null, maxBytes: number): Choice[] {
  const choices: Choice[] = [{ key: NONE, text: "none" }];
  for (const { digest, name, version, size_bytes } of known) {
    const large = size_bytes > maxBytes;
    const note = `${shortDigest(digest)}, ${sizeText(size_bytes)}${large ? ", too large here" : ""}`;
    choices.push({ key: digest, text: `${name} version ${version}`, note, disabled: large });
  }
  if (value !== null && !choices.some(({ key }) => key === value)) {
    choices.push({ key: value, text: `${shortDigest(value)}, not stored`, note: "upload it again" });
  }
  return choices;
}
