import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ServeError, TapPipe } from "../../../../../sim/index.ts";

const run = promisify(execFile);

/** Why this machine cannot run tests on a TAP device; undefined: it can. */
export async function noTap(device: string, address: string): Promise<string | undefined> {
  try {
    await (await TapPipe.open({ device, address, prefix: 24, mtu: 1500, mac: "02:5c:00:00:00:7f" }, "a test")).close();
  } catch (e) {
    if (e instanceof ServeError) return e.message;
    throw e;
  }
  try {
    await run("ping", ["-V"]);
  } catch {
    return "there is no ping on the PATH (Debian: apt install iputils-ping)";
  }
  return undefined;
}

/** Echo replies that `ping` counts. */
export async function pinged(ip: string, times = 3): Promise<number> {
  const { stdout } = await run("ping", ["-n", "-c", String(times), "-i", "0.2", "-W", "5", ip]).catch(
    (e: unknown) => e as { stdout: string },
  );
  return Number(/(\d+) received/.exec(stdout)?.[1]);
}
