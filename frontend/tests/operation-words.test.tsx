import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { OperationStateText } from "@/operations/words";
import { JobStateText } from "@/profiling/words";

const textOf = (element: React.ReactElement) => render(element).container.textContent?.trim();

describe("a state", () => {
  it("is said once where the wire's name is the same word, and with it where it is another", () => {
    expect(textOf(<OperationStateText of={{ state: "COMPLETED", waits_for_host: false }} />)).toBe("completed");
    expect(textOf(<OperationStateText of={{ state: "ROLLED_BACK", waits_for_host: false }} />)).toBe("rolled back");
    expect(textOf(<OperationStateText of={{ state: "FAILED_TEMP", waits_for_host: false }} />)).toBe(
      "stopped, needs attention FAILED_TEMP",
    );
    expect(textOf(<JobStateText job={{ state: "COMPLETED", failed: 0, not_measurable: 0 }} />)).toBe("completed");
    expect(textOf(<JobStateText job={{ state: "PROCESSING", failed: 0, not_measurable: 0 }} />)).toBe(
      "measuring PROCESSING",
    );
  });
});
