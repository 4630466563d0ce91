/**
 * The designs of this project, the only list: to add one is to add a line here (docs/add-a-design.md). The first is
 * what a verb means that is given none.
 */
import { aifm } from "../designs/aifm/design.ts";
import { clio } from "../designs/clio/design.ts";
import { fastswap } from "../designs/fastswap/design.ts";
import { hotpot } from "../designs/hotpot/design.ts";
import { legoos } from "../designs/legoos/design.ts";
import { rack } from "../designs/rack/design.ts";
import type { Design } from "../designs/shared/command-line/index.ts";
import { supernic } from "../designs/supernic/design.ts";
import { valet } from "../designs/valet/design.ts";
import { wickit } from "../designs/wickit/design.ts";
import { frameCounter } from "../examples/frame-counter/design.ts";

export const designs: readonly [Design, ...Design[]] = [
  clio,
  supernic,
  rack,
  legoos,
  wickit,
  fastswap,
  aifm,
  valet,
  hotpot,
  frameCounter,
];
/** What is said, behind the names of the designs, to who named another one; more in `installed-designs.ts`. */
export const otherDesigns: string = "";
