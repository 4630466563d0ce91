/** What stands where a definition is wanted: a module with its parameters chosen. */
import type { Position } from "../ir/circuit.ts";
import { refuse } from "./context.ts";

/** Modules without their parameters, by the function that takes them. */
const makers = new WeakMap<object, { readonly name: string; readonly position: () => Position | undefined }>();

export function registerMaker(maker: object, name: string, position: () => Position | undefined): void {
  makers.set(maker, { name, position });
}

/** Refuses what is no definition: a module that was not called, above all. */
export function requireDefinition(v: unknown, what: string): void {
  if (typeof v === "object" && v !== null && "elaborate" in v) return;
  const maker = typeof v === "function" ? makers.get(v) : undefined;
  if (maker !== undefined)
    refuse(
      "HDL126",
      `${what}: the module \`${maker.name}\` was not called`,
      `Call it, with its parameters if it has any: ${maker.name}(...)`,
      maker.position(),
    );
  refuse(
    "HDL126",
    `${what}: got ${v === undefined || v === null ? String(v) : `a ${typeof v}`}, not a module`,
    "Give a module that was called: Name() or Name({ ... })",
  );
}
