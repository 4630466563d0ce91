import { join } from "node:path";
import type { EmittedDesign } from "../../../hdl-dsl/index.ts";
import { layoutOf } from "../layout.ts";
import { cached, digest } from "./cache.ts";
import { runtimeObject } from "./compile.ts";
import { cxxFlags, includeFlags, NATIVE, nativeSource } from "./flags.ts";
import { run } from "./run.ts";
import { simulationTools } from "./tools.ts";
import { modelFolder } from "./verilator.ts";

/**
 * A plain C++ bench, a program of its own, linked with the very objects that the harness loads for the design.
 * @returns a function that plays a recorded file: seconds and a checksum of all outputs.
 */
export async function cxxReplay(
  design: EmittedDesign,
): Promise<
  (file: string, width: number, seed: number) => Promise<{ readonly seconds: number; readonly checksum: number }>
> {
  const tools = simulationTools();
  const { dir: model } = await modelFolder(tools, design, layoutOf(design), false);
  const { dir } = await cached("replay", digest([model, nativeSource("replay-main.cc")]), async to => {
    await run(
      tools.cxx.path,
      [
        ...cxxFlags(tools, false),
        ...(await includeFlags(tools, false)),
        `-I${model}`,
        join(NATIVE, "replay-main.cc"),
        join(model, "hot.o"),
        join(model, "slow.o"),
        await runtimeObject(tools, false),
        "-o",
        join(to, "replay"),
        "-lpthread",
        "-latomic",
      ],
      to,
      "compiling the C++ bench",
    );
  });
  return async (file, width, seed) => {
    const out = await run(join(dir, "replay"), [file, String(width), String(seed)], dir, "running the C++ bench");
    const [seconds, checksum] = out.trim().split(" ").map(Number);
    return { seconds: seconds ?? NaN, checksum: checksum ?? NaN };
  };
}
