import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { WaveFormat } from "../backend.ts";
import { SimulationError } from "../../errors.ts";
import { cached, digest } from "./cache.ts";
import { cxxFlags, includeFlags, NATIVE, nativeSource } from "./flags.ts";
import { run } from "./run.ts";
import type { Tools } from "./tools.ts";

/** Optimisation of a unit; it comes after `cxxFlags` and outweighs their own. */
export type Level = "-O0" | "-O1" | "-O2";

/**
 * How far the part of a model is optimised that each cycle evaluates: not at all for a brief run, else as
 * `MNEMO_OPTIMIZE` says. 2 runs fastest; 1 compiles in two thirds of the time, which counts more for a suite of tests.
 * @throws SimulationError for what is no level
 */
export function hotLevel(brief: boolean): Level {
  if (brief) return "-O0";
  const given = process.env["MNEMO_OPTIMIZE"] ?? "2";
  if (given === "0" || given === "1" || given === "2") return `-O${given}`;
  throw new SimulationError(`MNEMO_OPTIMIZE is "${given}"; unset it or give 0, 1 or 2`);
}

const HEADER = "prelude.h",
  parts = [HEADER, "verilated-hooks.h", "vcd-wave.h", "abi.h"];

/**
 * The headers of all generated C++, compiled once for each compiler and kind of build: to read them took 0.5 s of each
 * unit, and a small model has two. @returns flags of a unit that uses them.
 */
export async function preludeFlags(tools: Tools, trace: WaveFormat | false, level: Level): Promise<readonly string[]> {
  // Models that write waves are few: their headers take longer to compile than is saved.
  if (trace !== false) return [];
  const flags = [...cxxFlags(tools, trace), level];
  const key = digest([
    tools.fingerprint,
    flags.join(" "),
    ...parts.map(nativeSource),
    // clang++ looks where the header stood.
    ...(tools.clang ? [NATIVE] : []),
  ]);
  const { dir } = await cached("runtime", key, async to => {
    const header = tools.clang ? join(NATIVE, HEADER) : join(to, HEADER);
    // g++ takes `prelude.h.gch` for the `prelude.h` beside it.
    if (!tools.clang) copyFileSync(join(NATIVE, HEADER), header);
    await run(
      tools.cxx.path,
      [
        ...flags,
        ...(await includeFlags(tools, trace)),
        ...(tools.clang ? ["-Xclang", "-fno-pch-timestamp"] : []),
        "-x",
        "c++-header",
        header,
        "-o",
        join(to, compiledName(tools)),
      ],
      to,
      "compiling the headers of models",
    );
  });
  return tools.clang ? ["-include-pch", join(dir, compiledName(tools))] : ["-include", join(dir, HEADER)];
}

const compiledName = (tools: Tools): string => `${HEADER}.${tools.clang ? "pch" : "gch"}`;
