/** The name and the parameters of a module: readable, and the same whatever else changes. */
import { declaredNameOf, describeShape, type Shape, shapeName } from "../types/shape.ts";

/** A row of the table of parameters in a file's header. */
export type ParameterRow = readonly [name: string, value: string];

const isShape = (v: object): v is Shape =>
  "kind" in v && typeof v.kind === "string" && ["uint", "sint", "struct", "vec"].includes(v.kind);
const isPlain = (v: object): boolean => {
  const proto = Object.getPrototypeOf(v) as unknown;
  return proto === Object.prototype || proto === null;
};
const entriesOf = (v: object): readonly (readonly [string, unknown])[] =>
  Object.entries(v).filter(([, x]) => x !== undefined);

/**
 * What tells two parameter sets of a module apart. Parameters may be numbers, bigints, strings, booleans, shapes, and
 * plain objects or arrays of those. Structs of different names are different.
 */
export function parameterKey(module: string, v: unknown): string {
  const refuse = (path: string, what: string): never => {
    throw new TypeError(
      `module ${module}: parameter ${path} is ${what}: parameters are plain data (numbers, bigints, strings, booleans, shapes, objects and arrays of those), so that equal ones give one definition`,
    );
  };
  const text = (x: unknown, path: string): string => {
    switch (typeof x) {
      case "number":
        return Number.isNaN(x) ? refuse(path, "not a number (NaN)") : Object.is(x, -0) ? "0" : String(x);
      case "bigint":
        return `${x.toString()}n`;
      case "string":
        return JSON.stringify(x);
      case "boolean":
      case "undefined":
        return String(x);
      case "function":
      case "symbol":
        return refuse(path, `a ${typeof x}`);
      case "object": {
        if (x === null) return "null";
        if (Array.isArray(x)) return `[${x.map((y, i) => text(y, `${path}[${i}]`)).join(",")}]`;
        if (!isPlain(x)) return refuse(path, `an object of class ${x.constructor.name}`);
        const name = isShape(x) ? (declaredNameOf(x) ?? "") : "";
        return `${name}{${entriesOf(x)
          .map(([k, y]) => `${JSON.stringify(k)}:${text(y, path === "" ? k : `${path}.${k}`)}`)
          .join(",")}}`;
      }
    }
  };
  return text(v, "");
}

/**
 * The parameters as rows: an object's members have rows of their own, `reset.macHigh`; a list of
 * objects is counted, a shape described.
 */
export function parameterRows(params: unknown): readonly ParameterRow[] {
  if (typeof params !== "object" || params === null) return [];
  const rows: [string, string][] = [];
  const add = (path: string, v: unknown): void => {
    if (typeof v !== "object" || v === null) rows.push([path, String(v)]);
    else if (isShape(v)) {
      const declared = declaredNameOf(v),
        described = describeShape(v);
      rows.push([path, declared === undefined ? described : `${declared} ${described}`]);
    } else if (Array.isArray(v) && v.every(x => typeof x !== "object")) rows.push([path, v.join(", ")]);
    else if (Array.isArray(v)) rows.push([path, `${v.length} entries`]);
    else for (const [k, x] of entriesOf(v)) add(path === "" ? k : `${path}.${k}`, x);
  };
  add("", params);
  return rows;
}

/** Characters of a module's name that Verilator and file systems take without cutting. */
const longestName = 100;
const clean = (s: string): string => s.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
/** `beatBytes` = `bb`. */
const initials = (s: string): string =>
  clean(s)
    .replace(/([A-Z])/g, "_$1")
    .split("_")
    .map(word => word.slice(0, 1).toLowerCase())
    .join("");

/**
 * `Fifo` + { shape: uint(64), depth: 16 } = `Fifo_uint64_depth16`; a shape goes by its name. A name that would be too
 * long has the parameters' initials, then no nested objects, then none at all: HDL014
 * finds two modules of one name.
 */
export function nameWith(base: string, params: unknown): string {
  if (typeof params !== "object" || params === null) return base;
  const named = (key: (k: string) => string, nested = true): string => {
    const part = (k: string, v: unknown): string => {
      if (typeof v === "boolean") return v ? `_${key(k)}` : "";
      if (typeof v !== "object" || v === null) return `_${key(k)}${clean(String(v))}`;
      if (isShape(v)) return `_${shapeName(v)}`;
      if (!nested) return "";
      const inside = Array.isArray(v) ? v.map(x => part("", x)).join("") : partsOf(v);
      return `_${key(k)}${inside}`;
    };
    const partsOf = (v: object): string =>
      entriesOf(v)
        .map(([k, x]) => part(k, x))
        .join("");
    return `${base}${partsOf(params)}`.replace(/_{2,}/g, "_");
  };
  const names = [named(k => k), named(initials), named(initials, false)];
  return names.find(name => name.length <= longestName) ?? base;
}
