import { describe, expect, it } from "vitest";
import { describeError } from "../../cli/errors.ts";
import { CheckFailed, UsageError } from "../../designs/shared/command-line/index.ts";
import { HdlError } from "../../hdl-dsl/index.ts";
import { BuildError, DesignStopped, HangError, ProtocolError, SimulationError, TimeoutError } from "../../sim/index.ts";

/** A design's refusal, as an error of its own. */
class DesignError extends UsageError {
  override readonly name = "DesignError";
}
const system = (code: string, syscall: string, path?: string): Error =>
  Object.assign(new Error(`${code}: bare text`), { code, syscall, ...(path === undefined ? {} : { path }) });

describe("what an error becomes", () => {
  it.each<readonly [Error, number, string]>([
    [new UsageError("say what"), 2, "mnemo: say what"],
    [new DesignError("pageSize = 3: must be a power of two"), 2, "mnemo: pageSize = 3: must be a power of two"],
    [new BuildError("verilator is not on the PATH"), 2, "mnemo: verilator is not on the PATH"],
    [new SimulationError("there is no port x"), 2, "mnemo: there is no port x"],
    [system("ENOENT", "open", "in.pcap"), 2, "mnemo: cannot open in.pcap: there is no such file or folder"],
    [
      system("EACCES", "mkdir", "/out"),
      2,
      "mnemo: cannot use /out: access is denied; name another place, or change its rights",
    ],
    [
      system("ENOSPC", "open", "out.pcap"),
      2,
      "mnemo: cannot use out.pcap: the disk is full; make room, or name another place",
    ],
    [new CheckFailed("two files differ"), 1, "mnemo: two files differ"],
    [new HangError("rx stalled since cycle 10"), 1, "mnemo: rx stalled since cycle 10"],
    [new ProtocolError("valid fell"), 1, "mnemo: valid fell"],
    [new DesignStopped("$fatal at cycle 3", "fatal", 3, ""), 1, "mnemo: $fatal at cycle 3"],
    [new TimeoutError("no reply within 1 us"), 1, "mnemo: no reply within 1 us"],
    [
      new HdlError([
        { code: "HDL001", module: "M", message: "widths differ", fix: "Mend it", at: undefined, related: undefined },
      ]),
      1,
      "mnemo: HDL001 in M: widths differ (?). Mend it",
    ],
    [
      new TypeError("x is undefined"),
      1,
      "mnemo: internal error: x is undefined (MNEMO_DEBUG=1 shows where; please report it)",
    ],
    [
      system("ENOENT", "open"),
      1,
      "mnemo: internal error: ENOENT: bare text (MNEMO_DEBUG=1 shows where; please report it)",
    ],
  ])("%o", async (error, code, message) => {
    expect(await describeError(error)).toEqual({ code, message });
  });
});
