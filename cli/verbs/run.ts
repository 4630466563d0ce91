import { designVerb } from "./design-verb.ts";

/** `mnemo run`: plays a capture through a design and writes what comes back. */
export const runVerb = designVerb(
  "run",
  "play a capture file through the cycle-accurate design and write what leaves it as a capture file",
);
