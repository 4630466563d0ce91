import { describe, expect, it } from "vitest";
import { matrix } from "../../../../designs/clio/build/index.ts";
import { parametersSchema, parseSettings } from "../../../../designs/clio/config/index.ts";

describe("the matrix of configurations", () => {
  const configs = matrix.map(s => parseSettings(s).config);
  it("has no configuration twice", () => expect(new Set(matrix.map(s => s.join(" "))).size).toBe(matrix.length));
  it.each(Object.keys(parametersSchema.shape).filter(k => k !== "slowPathRing") as (keyof (typeof configs)[0])[])(
    "varies %s",
    key => {
      expect(new Set(configs.map(c => c[key])).size).toBeGreaterThan(1);
    },
  );
  it("has every width", () => expect([...new Set(configs.map(c => c.dataWidth))]).toEqual([64, 128, 256, 512]));
});
