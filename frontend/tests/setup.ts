import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Files share a process, its window and its packages. Modules of the console are a file's own, since many replace some,
// and so is what the window keeps.
vi.resetModules();
localStorage.clear();
sessionStorage.clear();
history.replaceState(null, "", "/");
document.head.replaceChildren();
document.body.replaceChildren();

// What is waited for comes late on a busy machine, which is no mistake of the code.
configure({ asyncUtilTimeout: 10_000 });
afterEach(cleanup);
