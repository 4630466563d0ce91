/** What a world leaves behind: nothing. Leaks that no frame shows are planted, and each is found. */
import { describe, expect, it } from "vitest";
import { plant } from "../../../support/plant.ts";
import { world } from "./support/worlds.ts";

const frames = 50,
  seed = 5;
/** What leaks, and the sentence that must tell it. */
const leaks: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
  [
    "a credit, when three are held",
    /held_0_0 <= more_0_0 \? ([^;]*);/,
    "held_0_0 <= ((held_0_0 == 3) & give_0[0] & ~refunds_of_0 & ~more_0_0) ? held_0_0 : more_0_0 ? $1;",
    /^region 0, slot 0: credits held at the end: [1-9]/,
  ],
  [
    "a packet of a flow",
    /load_0 <= load_0 \+ ([^;]*) - ([^;]*);/,
    "load_0 <= load_0 + $1 - (load_0 == 2 ? 0 : $2);",
    /^region 0: packets of flows at the end: [1-9]/,
  ],
  [
    "the egress's promise of a frame",
    "wire begun_1 = out1_valid &",
    "wire begun_1 = (out1_payload_class != 2) & out1_valid &",
    /^port 1: beats promised by the egress at the end: [1-9]/,
  ],
  [
    "the beat before each eighth of a link's ring",
    /tail_place <= first_place;/,
    "tail_place <= first_place - {10'd0, first_place[3]};",
    /^port \d: beats in the ring that are kept at the end: [1-9]/,
  ],
];

describe("what a world leaves behind", () => {
  it("is nothing", async () => {
    const { problems, result } = await world("instances", seed, frames);
    expect(problems).toEqual([]);
    expect(result.out.length).toBeGreaterThan(0);
  });
  for (const [name, from, to, by] of leaks)
    it(`${name}: is told`, async () => {
      const { problems } = await world("instances", seed, frames, {
        timeoutCycles: 4_000,
        change: device => plant(device, from, to),
      });
      expect(problems.filter(p => by.test(p))).not.toEqual([]);
    });
});
