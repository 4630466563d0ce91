/** How text is laid out in lines: terms that fill them, declarations of one type that share one. */
import type { VDeclare, VItem, VLocalparam, VPort } from "./ast.ts";

/** Lines longer than this are broken where that reads well. */
export const LINE = 118;

/** Terms in as few lines as hold them, each line after `indent`. */
export function filled(
  terms: readonly string[],
  indent: string,
  length: (s: string) => number = s => s.length,
): string[] {
  const lines: string[] = [];
  let line = "",
    used = 0;
  for (const t of terms) {
    const n = length(t);
    if (used > 0 && indent.length + used + 1 + n > LINE) {
      lines.push(`${indent}${line}`);
      line = t;
      used = n;
    } else {
      line = used === 0 ? t : `${line} ${t}`;
      used += used === 0 ? n : n + 1;
    }
  }
  return [...lines, `${indent}${line}`];
}

/**
 * Declarations that one line can hold together, or another item alone. `first`: it begins a run of one source line.
 */
export type Laid =
  | { readonly kind: "together"; readonly declares: readonly VDeclare[]; readonly first: boolean }
  | { readonly kind: "parameters"; readonly parameters: readonly VLocalparam[] }
  | { readonly kind: "alone"; readonly item: VItem; readonly first: boolean };

const isPlain = (i: VItem): i is VDeclare =>
  i.kind === "declare" && i.value === undefined && i.depth === undefined && i.attributes.length === 0;
const typeOf = (d: VDeclare): string => `${d.what} ${d.signed} ${d.width}`;
const sourceOf = (i: VItem): string | undefined =>
  i.kind === "declare" && i.position !== undefined ? `${i.position.file}:${i.position.line}` : undefined;

/** Values of an enumeration up to which each has a line of its own. */
const FEW_VALUES = 3;

/** The values of one enumeration from item `n` on, when they are too many for a line each. */
function valuesFrom(items: readonly VItem[], n: number): readonly VLocalparam[] {
  const values: VLocalparam[] = [],
    first = items[n];
  if (first?.kind !== "localparam" || first.group === undefined) return [];
  for (let i = items[n]; i?.kind === "localparam" && i.group === first.group; i = items[n + values.length])
    values.push(i);
  return values.length > FEW_VALUES ? values : [];
}

/**
 * Items in their order. Of a run of declarations from one line of the source, those of one type stand together: fields
 * of a struct, elements of a vector.
 */
export function laidOut(items: readonly VItem[]): Laid[] {
  const out: Laid[] = [];
  let before: string | undefined;
  for (let n = 0; n < items.length;) {
    const item = items[n] as VItem,
      source = sourceOf(item),
      first = source === undefined || source !== before;
    before = source;
    const parameters = valuesFrom(items, n);
    if (parameters.length > 0) {
      out.push({ kind: "parameters", parameters });
      n += parameters.length;
      continue;
    }
    if (!isPlain(item)) {
      out.push({ kind: "alone", item, first });
      n++;
      continue;
    }
    const types = new Map<string, VDeclare[]>();
    for (let next = items[n]; next !== undefined && isPlain(next) && sourceOf(next) === source; next = items[++n]) {
      const type = typeOf(next),
        same = types.get(type);
      if (same === undefined) types.set(type, [next]);
      else same.push(next);
    }
    let head = first;
    for (const declares of types.values()) {
      out.push({ kind: "together", declares, first: head });
      head = source === undefined;
    }
  }
  return out;
}

/** Ports with a heading before those of each stream. */
export function portGroups(ports: readonly VPort[]): (VPort & { readonly heading: string | undefined })[] {
  let before: string | undefined;
  return ports.map(p => {
    const heading = p.group === before ? undefined : p.group;
    before = p.group;
    return { ...p, heading };
  });
}
