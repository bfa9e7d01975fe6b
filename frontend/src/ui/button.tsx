/** Buttons. A button that may not be pressed stays focusable and says why (reason), rather than vanish. */

import { type ComponentPropsWithRef, type ReactNode, useId } from "react";

export interface ButtonProps extends Omit<ComponentPropsWithRef<"button">, "disabled"> {
  look?: "plain" | "primary" | "quiet" | "danger" | undefined;
  small?: boolean;
  /** Why it may not be pressed now; null or undefined: it may. */
  reason?: string | null | undefined;
  /** Where the reason is shown, for buttons at an edge of the page. */
  reasonSide?: "below" | "above" | "below-left";
}

export function Button(props: ButtonProps): ReactNode {
  const { look = "plain", small, reason, reasonSide = "below", className, onClick, type, ...rest } = props;
  const id = useId();
  const classes = ["btn", look, small ? "small" : "", className ?? ""].filter((part) => part && part !== "plain");
  if (!reason) return <button {...rest} type={type ?? "button"} className={classes.join(" ")} onClick={onClick} />;
  const side = { below: "", above: "up", "below-left": "left" }[reasonSide];
  return (
    <span className={`reasoned ${side}`}>
      <button
        {...rest}
        type="button"
        className={classes.filter((part) => part !== "primary").join(" ")}
        aria-disabled="true"
        aria-describedby={id}
      />
      <span role="tooltip" id={id}>
        {reason}
      </span>
    </span>
  );
}
