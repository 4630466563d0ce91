import { describe } from "vitest";
import { bench } from "../../../../bench.ts";
import { besideDut } from "./support/beside-model.ts";
import {
  badBesideWaiting,
  fromNowhere,
  goneChain,
  goodBesideBad,
  lostAtOnce,
  movedAtOnce,
  movedChain,
  sharedGroup,
  stopsShort,
  waitsInOrder,
} from "./support/few-packets.ts";

describe("packets that can go nowhere are dropped, and counted", () => {
  bench("no branch, no slot that there is, no chain, no user", besideDut("random"), {}, lostAtOnce);
  bench("a branch beside a bad one, a good stage in front of it", besideDut("random"), {}, goodBesideBad);
  bench("while the way out waits, they hold up nothing for ever", besideDut("random"), { seed: 3 }, badBesideWaiting);
});
describe("a flow that is marked waits until its packets have left", () => {
  bench("then they go, in order; others are not held up", besideDut("random"), {}, waitsInOrder);
  bench("a chain that is moved: what waits goes where it is now", besideDut("random"), {}, movedChain);
  bench("a chain that is moved while packets come", besideDut("random"), {}, movedAtOnce);
  bench("a chain that was nowhere and gets two regions while packets come", besideDut("random"), {}, fromNowhere);
  bench("two chains share a group: each goes to its own region", besideDut("random"), {}, sharedGroup);
  bench("a chain that goes away: what waits is dropped, the flow is free", besideDut("random"), {}, goneChain);
});
describe("a task without credits", () => {
  bench("packets stop short in front of it, once their patience is over", besideDut("random"), {}, stopsShort);
});
