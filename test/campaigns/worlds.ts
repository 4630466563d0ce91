/** Random worlds on a whole SuperNIC: `count` of them, of the build that the options name. */
import type { PieceFunction } from "../../cli/campaign/piece-contract.ts";
import { type BuildName, builds, world } from "../designs/supernic/rig/support/worlds.ts";

const isBuild = (name: unknown): name is BuildName => Object.keys(builds).includes(String(name));

export const piece: PieceFunction = async ({ seed, count, options }) => {
  const { build = Object.keys(builds)[0], frames = 80 } = options,
    problems: string[] = [];
  if (!isBuild(build))
    return { problems: [`there is no build ${build ?? ""}; there are ${Object.keys(builds).join(", ")}`] };
  let left = 0;
  for (let i = 0; i < count; i++) {
    // Whole worlds are numbered: the next one is another world.
    const played = await world(build, (seed + i) >>> 0, Number(frames));
    problems.push(...played.problems.map(p => `seed ${(seed + i) >>> 0}: ${p}`));
    left += played.result.out.length;
  }
  return { problems, figures: { worlds: count, frames: left } };
};
