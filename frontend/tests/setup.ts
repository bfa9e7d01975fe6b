import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// What is waited for comes late on a busy machine, which is no mistake of the code.
configure({ asyncUtilTimeout: 10_000 });
afterEach(cleanup);
