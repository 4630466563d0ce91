/** Wireshark dissectors in Lua, made from layouts: the fields of each, and a function that adds them to a tree. */
import { type Field, type Layout, type Placement, placementsOf } from "./layout.ts";

/** Lua string literal. */
export function luaString(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}
/** Lua identifier of a field: `f.ipv4_ttl`. */
function id(l: Layout, p: Placement): string {
  return `f.${l.name}_${p.name}`;
}

/** Lua table from values to names. */
export function luaNames(names: Readonly<Record<number, string>>): string {
  return `{ ${Object.entries(names)
    .map(([v, n]) => `[${v}] = ${luaString(n)}`)
    .join(", ")} }`;
}

/** The ProtoField of a placement: type by its container's bytes, mask where it does not fill them. */
function protoField(protocol: string, l: Layout, p: Placement, field: Field): string {
  const abbreviation = luaString(`${protocol}.${l.name}.${p.name}`),
    label = luaString(p.name),
    description = luaString(field.doc);
  if (field.kind === "raw") {
    const type = field.display === "text" ? "stringz" : field.display === "mac" ? "ether" : "bytes";
    return `${id(l, p)} = ProtoField.${type}(${abbreviation}, ${label}, ${type === "ether" ? "" : `${type === "stringz" ? "base.ASCII" : "base.NONE"}, `}${description})`;
  }
  const containerBits = p.byteLength * 8;
  if (field.display === "ipv4" && p.width === 32)
    return `${id(l, p)} = ProtoField.ipv4(${abbreviation}, ${label}, ${description})`;
  const base = field.display === "hex" || field.display === "mac" ? "base.HEX" : "base.DEC";
  const names = field.kind === "number" && field.names ? luaNames(field.names) : "nil";
  const mask =
    p.width === containerBits ? "nil" : `0x${(((1n << BigInt(p.width)) - 1n) << BigInt(p.bitOffset)).toString(16)}`;
  // Wireshark has integer types of 8, 16, 24, 32 and 64 bits; wider containers than 32 are read as 64.
  const bits = containerBits <= 32 ? containerBits : 64;
  return `${id(l, p)} = ProtoField.uint${bits}(${abbreviation}, ${label}, ${base}, ${names}, ${mask}, ${description})`;
}

/**
 * The Lua lines that put the fields of a layout into the table `f`, which the script has for the fields
 * of its protocol.
 * @param protocol what their filters begin with: `protocol.layout.field`
 * @param names names of values that the layout itself does not tell, by field
 */
export function protoFields(
  protocol: string,
  l: Layout,
  names: Readonly<Record<string, Readonly<Record<number, string>>>> = {},
): string[] {
  return placementsOf(l).flatMap(p => {
    const field = l.fields[p.name],
      told = names[p.name];
    if (field === undefined) return [];
    return [
      protoField(protocol, l, p, told !== undefined && field.kind === "number" ? { ...field, names: told } : field),
    ];
  });
}

/**
 * A Lua function `add_<layout>(buffer, offset, stop, tree)` that adds a layout's fields to a tree and returns
 * the offset after it. When the bytes run out it tells the expert field `f_short`, which the script defines,
 * and returns nil.
 */
export function layoutFunction(l: Layout): string {
  const lines = placementsOf(l).map(p => {
    const add = p.bigEndian || l.fields[p.name]?.kind === "raw" ? "add" : "add_le";
    return `  tree:${add}(${id(l, p)}, buffer(offset + ${p.byteOffset}, ${p.byteLength}))`;
  });
  return [
    `local function add_${l.name}(buffer, offset, stop, tree)`,
    `  if offset + ${l.bytes} > stop then tree:add_proto_expert_info(f_short, ${luaString(`${l.title}: cut short`)}) return nil end`,
    ...lines,
    `  return offset + ${l.bytes}`,
    "end",
  ].join("\n");
}
