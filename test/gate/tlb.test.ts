import { fillMany, runTlb, tlbDut } from "../designs/shared/virtual-memory/rtl/support/tlb-rig.ts";
import { gateCheck } from "./gate-check.ts";

const entries = 8;
gateCheck(
  "TLB",
  tlbDut(entries),
  [
    { name: "random keys", run: b => runTlb(b, entries, 6000) },
    { name: "page after page", run: b => fillMany(b, entries, 300) },
  ],
  b => runTlb(b, entries, 1000),
);
