import { join } from "node:path";
import { NATIVE, nativeSource } from "../backend/verilator/flags.ts";
import { cached, digest } from "../backend/verilator/cache.ts";
import { run } from "../backend/verilator/run.ts";
import { findTool } from "../backend/verilator/tools.ts";
import { ServeError } from "./errors.ts";

/**
 * The program that holds a TAP device, compiled once per compiler and source as the models' loader
 * is. @returns its path.
 * @throws ServeError when the system has no TAP devices or no compiler
 */
export async function tapHelper(): Promise<string> {
  if (process.platform !== "linux")
    throw new ServeError(
      `TAP devices are served on Linux only, this is ${process.platform}; leave --tap out to serve UDP ports`,
    );
  const cxx = findTool("clang++") ?? findTool("g++");
  if (!cxx)
    throw new ServeError(
      "--tap needs a C++ compiler on the PATH: install clang or g++ (Debian: apt install clang) and run again",
    );
  const source = nativeSource("tap-helper.cc"),
    key = digest([cxx.fingerprint, source]);
  const { dir } = await cached("tap", key, async to => {
    await run(
      cxx.path,
      ["-O2", "-std=c++17", join(NATIVE, "tap-helper.cc"), "-o", join(to, "tap_helper")],
      to,
      "compiling the TAP helper",
    );
  });
  return join(dir, "tap_helper");
}
