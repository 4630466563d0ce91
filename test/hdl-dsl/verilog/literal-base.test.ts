/** Numbers in the text keep the base that the source has. */
import { expect, test } from "vitest";
import { cat, constant, emit, input, module, mux, output, switchOn, uint } from "../../../hdl-dsl/index.ts";

const magic = 0x88b6,
  count = 1300;

const Bases = module(
  "Bases",
  () => ({ a: input(uint(16)), b: input(uint(4)), y: output(uint(16)), z: output(uint(8)), w: output(uint(8)) }),
  io => {
    io.y.set(mux(io.a.eq(magic), constant(0x0800, 16), mux(io.a.eq(count), io.a.and(0xff), constant(255, 16))));
    switchOn(io.b)
      .is([0b0001, 0b1000], () => io.z.set(0x1f))
      .is(3, () => io.z.set(31))
      .is(0x1_0 - 1, () => io.z.set(0b1010_1010))
      .otherwise(() => io.z.set(0));
    // A number that is computed is decimal, and so is one that only looks alike.
    io.w.set(
      cat(io.b, io.b)
        .add(0x10 + 1)
        .xor(16 /* 0x10 */),
    );
  },
);

test("hexadecimal, binary and decimal literals, and constants of the file", () => {
  const text = emit(Bases()).files[0]?.text ?? "";
  const numbers = [...text.matchAll(/\d+'[bdh][0-9a-f]+/g)].map(m => m[0]);
  expect(numbers.sort()).toEqual(
    [
      "16'd1300",
      "16'd255",
      "16'h800",
      "16'h88b6",
      "16'hff",
      "4'b0001",
      "4'b1000",
      "4'd15",
      "4'd3",
      "8'b10101010",
      "8'd0",
      "8'd16",
      "8'd17",
      "8'd31",
      "8'h1f",
    ].sort(),
  );
});
