/** A secret is written, or made, in a field of its own: it is sent, and neither kept in the tab nor copied. */
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { type ReactNode, useState } from "react";
import { afterEach, describe, expect, it } from "vitest";
import type { NfType } from "@/api/types";
import { chainFile, check, type Draft, EMPTY_DRAFT, secretOptions, withNf, withoutSecrets } from "@/chains/draft";
import { forgetDraft, loadDraft, saveDraft } from "@/chains/keep-draft";
import { SecretFields } from "@/chains/secret-fields";
import { nfType } from "./nf-type-fixtures";

const CANARY = "deadbeefcafe".repeat(3).concat("0042");
const KEY = { type: ["string", "null"], pattern: "^[0-9a-fA-F]{40}$", default: null, writeOnly: true };
const vpn: NfType = { ...nfType("vpn", {}), config_schema: { type: "object", properties: { key: KEY } } };
const empty: Draft = withNf({ ...EMPTY_DRAFT, name: "tunnel" }, vpn, -1);
const drafted = (part: object): Draft => ({ ...empty, nfs: empty.nfs.map((nf) => ({ ...nf, ...part })) });
const filled = drafted({ secrets: { key: CANARY } });

afterEach(forgetDraft);

describe("a draft with a secret", () => {
  it("is sent with it", () => {
    expect(check(filled).spec?.nfs[0]?.config).toEqual({ key: CANARY });
    expect(check(empty).spec?.nfs[0]?.config).toEqual({});
  });

  it("is kept and copied without it, and the command says where it comes from", () => {
    saveDraft(filled);
    expect(JSON.stringify({ ...sessionStorage })).not.toContain(CANARY);
    expect(loadDraft().nfs[0]?.secrets).toEqual({ key: "" });
    const spec = check(withoutSecrets(filled)).spec;
    expect(spec && chainFile(spec)).not.toContain(CANARY);
    expect(secretOptions(filled)).toBe(" --secret vpn.key=FILE");
    expect(secretOptions(empty)).toBe("");
  });

  it.each([`{"key": "${CANARY}"}`, `{"key": "${CANARY}"`])(
    "takes none in the text, %#, and keeps no such text",
    (config) => {
      const written = drafted({ config });
      expect(check(written).errors[0]?.field).toMatch(/^nfs\.0\.config/);
      saveDraft(written);
      expect(JSON.stringify({ ...sessionStorage })).not.toContain(CANARY);
    },
  );

  it("may name one that the console has", () => {
    const reference = `secret:${"0a".repeat(16)}`;
    const named = drafted({ config: `{"key": "${reference}"}` });
    expect(check(named).spec?.nfs[0]?.config).toEqual({ key: reference });
    expect(withoutSecrets(named).nfs[0]?.config).toContain(reference);
  });
});

function Editor({ start }: { start: Draft }): ReactNode {
  const [nf, setNf] = useState(start.nfs[0]);
  return nf && <SecretFields nf={nf} type={vpn} at={() => []} onChange={setNf} />;
}

describe("the field", () => {
  it("hides what is written, makes a key that fits, and shows it where asked", async () => {
    const user = userEvent.setup();
    const { container } = render(<Editor start={empty} />);
    const field = screen.getByLabelText<HTMLInputElement>("key (secret)");
    expect(field.type).toBe("password");
    await user.click(screen.getByRole("button", { name: "Generate key" }));
    const first = field.value;
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    await user.click(screen.getByRole("button", { name: "Show key" }));
    expect(field.type).toBe("text");
    await user.click(screen.getByRole("button", { name: "Generate key" }));
    expect(field.value).not.toBe(first);
    const found = await axe.run(container, {
      rules: { region: { enabled: false }, "color-contrast": { enabled: false } },
    });
    expect(found.violations.map((violation) => violation.id)).toEqual([]);
  });

  it("says that one is set, without showing it", () => {
    render(<Editor start={drafted({ config: `{"key": "secret:${"0a".repeat(16)}"}` })} />);
    expect(screen.getByText("set, not shown; leave it empty to keep it")).toBeTruthy();
  });
});
