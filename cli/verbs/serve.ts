import { designVerb } from "./design-verb.ts";

/** `mnemo serve`: a design as a server for programs of this machine. */
export const serveVerb = designVerb(
  "serve",
  "serve the cycle-accurate design to programs of this machine, behind UDP ports or on a TAP device, until Ctrl-C",
);
