import { start, stop } from "./installation.ts";

/** Starts the installation; the function it returns ends it and fails the run if a process is left. */
export default function globalSetup(): () => void {
  const { data } = start();
  return () => stop(data);
}
