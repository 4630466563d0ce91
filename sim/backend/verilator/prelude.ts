import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WaveFormat } from "../backend.ts";
import { cached, digest } from "./cache.ts";
import { cxxFlags, forcedHeaders, includeFlags, nativeSource } from "./flags.ts";
import { run } from "./run.ts";
import type { Tools } from "./tools.ts";

/** Optimisation of a unit; it comes after `cxxFlags` and outweighs their own. */
export type Level = "-O0" | "-O2";

/** What all generated C++ includes. */
function preludeText(trace: WaveFormat | false): string {
  const own = [...forcedHeaders(trace), "abi.h", "verilated.h", ...(trace === "fst" ? ["verilated_fst_c.h"] : [])];
  const standard = ["stdarg.h", "stdio.h", "string.h", "memory", "new", "string"];
  return [...own.map(h => `#include "${h}"`), ...standard.map(h => `#include <${h}>`), ""].join("\n");
}

/**
 * Flags of a unit of generated C++ at an optimisation. With g++ they name a header that is compiled already: to read
 * Verilator's headers takes 0.6 s of each unit, and a small model has two. g++ falls back on the header's text where it
 * cannot use what is compiled. clang++ refuses a compiled header whose folder got another name, as the cache's do.
 */
export async function preludeFlags(tools: Tools, trace: WaveFormat | false, level: Level): Promise<string[]> {
  if (tools.clang) return [level];
  const flags = [...cxxFlags(tools, trace), level],
    text = preludeText(trace);
  const key = digest([
    tools.fingerprint,
    flags.join(" "),
    text,
    ...[...forcedHeaders(trace), "abi.h"].map(nativeSource),
  ]);
  const { dir } = await cached("runtime", key, async to => {
    writeFileSync(join(to, "prelude.h"), text);
    await run(
      tools.cxx.path,
      [...flags, ...(await includeFlags(tools, trace)), "-x", "c++-header", "prelude.h", "-o", "prelude.h.gch"],
      to,
      "compiling the headers of models",
    );
  });
  return [level, "-include", join(dir, "prelude.h")];
}
