import { describe, expect, it } from "vitest";
import {
  bit,
  blackBox,
  emit,
  fsm,
  input,
  instance,
  module,
  output,
  ram,
  reg,
  scope,
  sink,
  snakeCase,
  source,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";

describe("the Verilog name of a TypeScript one", () => {
  it.each([
    ["lastByte", "last_byte"],
    ["outOfMemory", "out_of_memory"],
    ["sAw", "s_aw"],
    ["wW", "w_w"],
    ["aBC", "a_b_c"],
    ["crc16O", "crc16_o"],
    ["demuxO0", "demux_o0"],
    ["rule0Pid", "rule0_pid"],
    ["last_byte", "last_byte"],
    ["happened_outOfMemory", "happened_out_of_memory"],
    ["u_AxisRegister_bytes8", "u_axis_register_bytes8"],
    ["_unused", "_unused"],
    ["to0", "to0"],
    ["CE", "ce"],
    ["vendor_DATA_Out", "vendor_data_out"],
    ["x", "x"],
  ])("%s: %s", (from, to) => expect(snakeCase(from)).toBe(to));

  const Vendor = blackBox("VENDOR", { clkIn: input(bit), DATA_Out: output(bit) });
  const Fields = struct({ lowHalf: uint(4), highHalf: uint(4) });
  const Top = module(
    "Names",
    () => ({ jobIn: sink(Fields), replyOut: source(Fields), pinIn: input(bit), pinOut: output(bit) }),
    io => {
      const storeQ = ram(uint(8), { depth: 4, collision: "old" });
      scope("innerPart", () => {
        const lastJob = reg(Fields, { init: 0 }),
          last_job = reg(bit, { init: 0 });
        lastJob.set(io.jobIn.payload);
        last_job.set(io.pinIn);
        const vendorUnit = instance(Vendor);
        vendorUnit.clkIn.set(last_job);
        io.pinOut.set(vendorUnit.DATA_Out);
        io.replyOut.payload.set(lastJob);
      });
      fsm(["atRest", "underWay"], "atRest", s => ({ atRest: () => s.go("underWay"), underWay: () => s.go("atRest") }));
      storeQ.write(io.jobIn.fire, io.jobIn.payload.lowHalf.trunc(2), io.jobIn.payload.highHalf.zext(8));
      io.replyOut.valid.set(storeQ.readAsync(io.jobIn.payload.lowHalf.trunc(2)).any());
      io.jobIn.ready.set(io.replyOut.ready);
    },
  );

  it("is that of every port, field, signal, memory, state and instance, and a vendor's names stay", () => {
    const design = emit(Top()),
      text = design.files.find(f => f.name === "Names.v")?.text ?? "";
    const code = text.replace(/\/\/.*/g, "");
    const mixed = new Set(
      code.match(/\b[A-Za-z_]*[A-Z]\w*/g)?.filter(n => !/^(?:Names|VENDOR|clkIn|DATA_Out)$/.test(n)),
    );
    expect([...mixed]).toEqual([]);
    for (const name of [
      "job_in_payload_low_half",
      "reply_out_valid",
      "inner_part_last_job_low_half",
      "inner_part_last_job_1",
      "store_q",
      "state_at_rest",
    ])
      expect(code).toContain(name);
    expect(code).toMatch(/\.clkIn\s*\(/);
    expect(design.ports.find(p => p.name === "job_in_payload_low_half")?.path).toEqual(["jobIn", "payload", "lowHalf"]);
  });
});
