/** One's own password: a form, or where it is kept by somebody else. */

import type { ReactNode } from "react";
import { cli } from "@/session/cli";
import { CopyButton } from "@/ui/copy-button";
import { Section } from "@/ui/section";
import { PasswordForm } from "./password-form";

export function OwnPassword(props: {
  /** The identity provider by which the user signs in; null for a local account. */
  issuer: string | null;
  onChanged: () => void;
}): ReactNode {
  const { issuer, onChanged } = props;
  if (issuer !== null) {
    return (
      <Section title="Password" padded>
        <p>You sign in by {issuer}, which keeps your password: change it there.</p>
      </Section>
    );
  }
  return (
    <Section title="Password" end={<CopyButton text={cli.changePassword()} />} padded>
      <PasswordForm onChanged={onChanged} />
    </Section>
  );
}
