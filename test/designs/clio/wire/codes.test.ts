import { expect, test } from "vitest";
import {
  bitsOfOpcode,
  Opcode,
  opcode,
  operations,
  replyCode,
  Status,
  status,
} from "../../../../designs/clio/wire/index.ts";
import { codeOf, emit, input, module, namesOf, output, uint } from "../../../../hdl-dsl/index.ts";

test("every status, every opcode and every reply's opcode has a name in hardware", () => {
  expect(Object.fromEntries(namesOf(Status).map(n => [n, codeOf(Status, n)]))).toEqual(status);
  const codes = new Set(namesOf(Opcode).map(n => codeOf(Opcode, n)));
  expect(codes).toEqual(new Set(operations.flatMap(o => [o.code, replyCode(o.code)])));
  expect(codeOf(Opcode, "READ_REPLY")).toBe(replyCode(opcode.READ));
});

test("an opcode of a table is compared by its name, one without a name by its number", () => {
  const Compare = (code: number) =>
    module(
      "Compare",
      () => ({ opcode: input(uint(8)), y: output(uint(1)) }),
      io => io.y.set(io.opcode.eq(bitsOfOpcode(code))),
    );
  const textOf = (code: number): string => emit(Compare(code)()).files[0]?.text ?? "";
  expect(textOf(opcode.KV_READ)).toMatch(/opcode_kv_read = 8'h60;[^]*opcode == opcode_kv_read\b/);
  expect(textOf(0xfe)).toMatch(/opcode == 8'd254/);
});
