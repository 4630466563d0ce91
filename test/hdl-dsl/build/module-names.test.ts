import { describe, expect, test } from "vitest";
import {
  bit,
  emit,
  Fifo,
  instance,
  module,
  named,
  output,
  type Shape,
  shapeName,
  sint,
  struct,
  type StructShape,
  uint,
  vec,
} from "../../../hdl-dsl/index.ts";

const Request = struct({ address: uint(8), write: bit });
const Beat = (bytes: number): StructShape => struct({ data: uint(8 * bytes), last: bit });
function Answer(bits: number): StructShape {
  const value = uint(bits);
  return struct({ value });
}
const ofBits = (bits: number): StructShape => struct({ value: uint(bits) });

describe("names of shapes", () => {
  test("a struct goes by its declaration, by the function that makes it, or by who calls a helper", () => {
    const Reply = ofBits(4);
    expect([Request, Beat(2), Answer(3), Reply].map(shapeName)).toEqual(["Request", "Beat", "Answer", "Reply"]);
  });

  test("what has no declaration goes by what it is made of", () => {
    const shapes: Shape[] = [uint(32), sint(8), bit, vec(uint(8), 4), struct({ slot: uint(6), frame: sint(14) })];
    expect([...shapes.map(shapeName), shapeName(struct({ at: struct({ x: bit }), ok: bit }))]).toEqual([
      "uint32",
      "sint8",
      "bit",
      "uint8x4",
      "slot6_frames14",
      "at_x1_ok1",
    ]);
    const many = struct(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${i}`, uint(3)])));
    expect(shapeName(struct({ ...many.fields }))).toBe("field03_field13_field23_w60");
  });

  test("a struct can be named apart, with a legal name", () => {
    expect(shapeName(named("Beat32", Beat(4)))).toBe("Beat32");
    expect(() => named("3 beats", Beat(4))).toThrow(
      'named: "3 beats" is no name: letters, digits and underscores are expected',
    );
  });
});

interface Sizes {
  readonly beatBytes: number;
  readonly fast?: boolean;
  readonly kind?: string;
  readonly shape?: Shape;
  readonly reset?: { readonly mac: number; readonly table: readonly number[] };
}
const Sized = module(
  "Sized",
  (_p: Sizes) => ({ y: output(bit) }),
  io => {
    io.y.set(0);
  },
);

const Small = module(
  "Small",
  (_p: { readonly shape: Shape }) => ({ y: output(uint(3)) }),
  io => {
    io.y.set(1);
  },
);

describe("names of modules", () => {
  test("parameters, shapes by their name, objects by their members; no digest", () => {
    expect(
      [
        { beatBytes: 64 },
        { beatBytes: 64, fast: true, kind: "own net" },
        { beatBytes: 64, fast: false, shape: Request },
        { beatBytes: 8, reset: { mac: 3, table: [1, 2] } },
      ].map(p => Sized(p).name),
    ).toEqual([
      "Sized_beatBytes64",
      "Sized_beatBytes64_fast_kindown_net",
      "Sized_beatBytes64_Request",
      "Sized_beatBytes8_reset_mac3_table_1_2",
    ]);
    expect(Fifo({ shape: Beat(64), depth: 64, style: "distributed" }).name).toBe("Fifo_Beat_d64");
    expect(Fifo({ shape: uint(8), depth: 4 }).name).toBe("Fifo_uint8_d4_auto");
  });

  test("a name that tools would cut keeps the initials, then leaves nested objects out, then all", () => {
    const long = (n: number, nested: number): string => {
      const p = {
        ...Object.fromEntries(Array.from({ length: n }, (_, i) => [`someBits${"x".repeat(i)}`, i])),
        reset: Object.fromEntries(Array.from({ length: nested }, (_, i) => [`r${i}`, i])),
      };
      return module(
        "M",
        (_p: typeof p) => ({ y: output(bit) }),
        io => {
          io.y.set(0);
        },
      )(p).name;
    };
    expect(long(8, 1)).toBe("M_sb0_sb1_sb2_sb3_sb4_sb5_sb6_sb7_r_r0");
    expect(long(8, 40)).toBe("M_sb0_sb1_sb2_sb3_sb4_sb5_sb6_sb7");
    expect(long(40, 0)).toBe("M");
  });

  test("structs of one structure and two names are two modules, whichever comes first", () => {
    const Other = struct({ address: uint(8), write: bit });
    expect([Fifo({ shape: Other, depth: 4 }).name, Fifo({ shape: Request, depth: 4 }).name]).toEqual([
      "Fifo_Other_d4_auto",
      "Fifo_Request_d4_auto",
    ]);
  });

  test("the header has the parameters as a table, no line beyond 110 columns", () => {
    const Wide = struct(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, uint(i + 1)])));
    const text = emit(Sized({ beatBytes: 64, shape: Wide, reset: { mac: 3, table: [1, 2] } })).files[0]?.text ?? "";
    const header = text.slice(0, text.indexOf("module ")).split("\n");
    expect(header.slice(0, 3)).toEqual([
      "// Sized_beatBytes64_Wide_reset_mac3_table_1_2",
      "//   beatBytes    64",
      "//   shape        Wide { field0: bit, field1: uint(2), field2: uint(3), field3: uint(4), field4:",
    ]);
    expect(header).toContain("//   reset.table  1, 2");
    expect(Math.max(...header.map(l => l.length))).toBeLessThanOrEqual(110);
  });

  test("one name for two modules is an error that tells what differs", () => {
    const Both = module(
      "Both",
      () => ({ y: output(uint(3)) }),
      io => {
        const small = Small({ shape: Beat(1) }),
          large = Small({ shape: Beat(2) });
        io.y.set(instance("small", small).y.add(instance("large", large).y));
      },
    );
    expect(() => emit(Both())).toThrow(
      "two different modules are called `Small_Beat`: one has `shape` Beat { data: uint(8), last: bit }, the other Beat { data: uint(16), last: bit }",
    );
  });
});
