/** Random worlds on the whole device. `MNEMO_WORLDS=200` plays as many of each build; `MNEMO_WORLD=7` one alone. */
import { describe, expect, it } from "vitest";
import { type BuildName, builds, world } from "./support/worlds.ts";

const count = Number(process.env["MNEMO_WORLDS"] ?? 1),
  only = process.env["MNEMO_WORLD"],
  frames = Number(process.env["MNEMO_WORLD_FRAMES"] ?? 80);
const seeds = only === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(only)];

describe("random worlds", () => {
  for (const build of Object.keys(builds) as BuildName[])
    for (const seed of seeds)
      it(`${build}, seed ${seed}`, async () => {
        const { problems, result } = await world(build, seed, frames);
        expect(problems).toEqual([]);
        expect(result.out.length).toBeGreaterThan(0);
      });
});
