import { retryBenches, runMixture, small } from "../designs/clio/rtl/retry/support/retry-benches.ts";
import { retryDut } from "../designs/clio/rtl/retry/support/retry-rig.ts";
import { gateCheck } from "./gate-check.ts";

gateCheck("retry buffer", retryDut(small), retryBenches, b => runMixture(b, 400, { doneAfter: [1, 60] }));
