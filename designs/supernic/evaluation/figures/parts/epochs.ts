/** What figures of the epoch model have in common. */
import type { Given } from "../../../../shared/evaluation/index.ts";

export const epochNotes: readonly string[] = [
  "A model in steps of an epoch of 20 µs, not the cycle-accurate device: docs/supernic/epochs.md. Rates are the project's own fair shares, and regions are given out by the device's own software. The device itself, at a tenth of the periods, has the same shares and scales out in the same epochs (test).",
  "An endpoint that is held sends the rest later, and all its later work is late by as much. Slowdown is the time until it has sent everything, by what it takes alone: 1 is best.",
];
export const openEx: Given = {
  what: "OpEx",
  value:
    "epochs of regions that hold a chain in use or are being reprogrammed; a frame that is only passed on counts a tenth of the region's time that it would take",
  source: "our decision D8 (design of SuperNIC); the paper says what is counted and not how much",
};
/** Where the loads of the memcached pool come from. */
export const memcached: Given = {
  what: "loads",
  value:
    "sizes and gaps of Facebook's pool ETC, as many requests as make 6 Gbit/s; lognormal factors (sigma 0.8) that last 40 ms; 0.1 or 0.9 of their variance in common",
  source: "Atikoglu et al., SIGMETRICS 2012; factors are assumed, as the paper has its traces in pictures only",
};
