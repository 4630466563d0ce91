import { netRxBenches, netRxDut, randomTraffic } from "../designs/clio/rtl/network/support/net-rx-rig.ts";
import { bernoulli } from "../../sim/index.ts";
import { gateCheck } from "./gate-check.ts";

const beatBytes = 8;
gateCheck("net_rx", netRxDut(beatBytes), netRxBenches(beatBytes), b =>
  randomTraffic(b, 150, { request: bernoulli(0.3, 4) }),
);
