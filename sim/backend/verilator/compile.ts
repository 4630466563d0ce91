import { readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { WaveFormat } from "../backend.ts";
import { cached, digest, type Place } from "./cache.ts";
import { cxxFlags, includeFlags, NATIVE, nativeSource, verilatorInclude } from "./flags.ts";
import { hotLevel, type Level, preludeFlags } from "./prelude.ts";
import { run } from "./run.ts";
import type { Tools } from "./tools.ts";

/** Verilator's runtime as one object, compiled once per tool version and kind of build. @returns its path. */
export async function runtimeObject(tools: Tools, trace: WaveFormat | false): Promise<string> {
  const flags = cxxFlags(tools, trace);
  const key = digest([tools.fingerprint, flags.join(" "), nativeSource("verilated-hooks.h")]);
  const { dir } = await cached("runtime", key, async to => {
    const root = await verilatorInclude(tools),
      include = await includeFlags(tools, trace);
    const parts = ["verilated.cpp", "verilated_threads.cpp", ...(trace === false ? [] : [`verilated_${trace}_c.cpp`])];
    await Promise.all(
      parts.map(p =>
        run(
          tools.cxx.path,
          [...flags, ...include, "-c", join(root, p), "-o", join(to, `${p}.o`)],
          to,
          "compiling Verilator's runtime",
        ),
      ),
    );
    await run(
      tools.cxx.path,
      ["-r", "-nostdlib", ...parts.map(p => join(to, `${p}.o`)), "-o", join(to, "runtime.o")],
      to,
      "joining Verilator's runtime",
    );
  });
  return join(dir, "runtime.o");
}

/** A word of a shell script. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
const command = (words: readonly string[]): string => words.map(quoted).join(" ");

/**
 * Compiles what Verilator wrote into `hot.o` (evaluated each cycle, with the shim) and `slow.o` (start-up), links
 * `model.so`, and puts the folder in its place. One shell does all of it: when the process that asked has ended (a
 * test's limit, a worker that is stopped), the shell goes on, and the next run finds the model.
 * @param brief without optimisation. @param from folder of the generated C++ and shim. @param to what is built.
 */
export async function compileModel(
  tools: Tools,
  trace: WaveFormat | false,
  brief: boolean,
  from: string,
  to: Place,
): Promise<void> {
  const runtime = await runtimeObject(tools, trace);
  const include = [...(await includeFlags(tools, trace)), `-I${from}`];
  const level = hotLevel(brief),
    slowPrelude = await preludeFlags(tools, trace, "-O0"),
    hotPrelude = await preludeFlags(tools, trace, level);
  writeUnits(from);
  const object = (unit: string): string => join(to.temporary, `${unit}.o`);
  const unit = (name: string, extra: readonly string[]): string =>
    command([
      tools.cxx.path,
      ...cxxFlags(tools, trace),
      ...extra,
      ...include,
      "-c",
      join(from, `${name}.cc`),
      "-o",
      object(name),
    ]);
  // Headers of the machine may have changed since they were compiled: then the unit reads them itself.
  const compile = (name: string, level: Level, prelude: readonly string[]): string =>
    `{ ${unit(name, [level, ...prelude])} 2>/dev/null || ${unit(name, [level])}; }`;
  const link = command([
    tools.cxx.path,
    "-shared",
    "-o",
    join(to.temporary, "model.so"),
    object("hot"),
    object("slow"),
    runtime,
    "-Wl,-Bsymbolic,-z,defs",
    "-lpthread",
    "-latomic",
    ...(trace === "fst" ? ["-lz"] : []),
  ]);
  const script = [
    // From now on the lock is this shell's, not that of the process which may end before it.
    `echo $$ > ${quoted(to.lock)}`,
    // Start-up code runs once: optimising it would cost more than it gives.
    `${compile("slow", "-O0", slowPrelude)} & slow=$!`,
    `${compile("hot", level, hotPrelude)} || exit 1`,
    `wait $slow || exit 1`,
    `${link} || exit 1`,
    `cp ${quoted(from)}/*.h ${quoted(to.temporary)} || exit 1`,
    `[ -e ${quoted(to.dir)} ] || mv ${quoted(to.temporary)} ${quoted(to.dir)} || exit 1`,
    `kill -0 ${process.pid} 2>/dev/null || rm -rf ${quoted(from)} ${quoted(to.lock)}`,
  ];
  await run("/bin/sh", ["-c", script.join("\n")], from, "compiling the model");
}

/** Whether a file that Verilator wrote runs once, when a model begins. */
export const isStartUp = (name: string): boolean => /__Slow\.cpp$|__Syms\.cpp$|__ConstPool_\d+\.cpp$/.test(name);

/** Joins the generated sources into `hot.cc` and `slow.cc`. */
function writeUnits(from: string): void {
  const units = readdirSync(from)
    .filter(f => f.endsWith(".cpp"))
    .sort();
  const slow = units.filter(isStartUp);
  const hot = units.filter(f => !slow.includes(f));
  const included = (files: readonly string[]): string => files.map(f => `#include "${f}"\n`).join("");
  writeFileSync(join(from, "hot.cc"), `${included(hot)}#include "shim.cc"\n`);
  writeFileSync(join(from, "slow.cc"), included(slow));
}

/** Node's headers, from the npm package. */
function nodeHeaders(): string {
  const api = createRequire(import.meta.url)("node-api-headers") as { readonly include_dir: string };
  return api.include_dir;
}

/** The generic loader, compiled once per compiler and source. @returns the path of the Node addon. */
export async function loaderAddon(tools: Tools): Promise<string> {
  const source = nativeSource("addon.cc");
  const key = digest([tools.cxx.fingerprint, source, nativeSource("abi.h")]);
  const { dir } = await cached("loader", key, async to => {
    await run(
      tools.cxx.path,
      [
        "-O2",
        "-fPIC",
        "-std=c++17",
        "-fvisibility=hidden",
        "-shared",
        `-I${nodeHeaders()}`,
        `-I${NATIVE}`,
        join(NATIVE, "addon.cc"),
        "-o",
        join(to, "loader.node"),
        "-ldl",
      ],
      to,
      "compiling the model loader",
    );
  });
  return join(dir, "loader.node");
}
