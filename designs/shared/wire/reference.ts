/** Reference pages in Markdown, made from layouts. */
import { type Layout, type Placement, placementsOf } from "./layout.ts";
import type { RecordFields, RecordLayout } from "./record.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** `4` for a whole byte or more, `4, bits 0-3` for less; bits are numbered from the byte's least significant. */
function place(p: Placement): string {
  if (p.width === p.byteLength * 8) return String(p.byteOffset);
  const last = p.bitOffset + p.width - 1;
  return `${p.byteOffset}${p.byteLength > 1 ? `-${p.byteOffset + p.byteLength - 1}` : ""}, bit${p.width === 1 ? ` ${p.bitOffset}` : `s ${p.bitOffset}-${last}`}`;
}

/** A section of a reference page: the layout's title, size and byte order, and a table of its fields. */
export function layoutTable(l: Layout): string {
  const rows = placementsOf(l).map(
    p => `| ${place(p)} | ${p.name} | ${p.width} | ${cell(l.fields[p.name]?.doc ?? "")} |`,
  );
  return [
    `### ${l.title}`,
    "",
    `\`${l.name}\`, ${l.bytes} bytes, ${l.order === "be" ? "network byte order" : "little-endian"}.`,
    "",
    "| byte | field | bits | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** The same for a record: its bits in place of bytes. */
export function recordTable<F extends RecordFields>(r: RecordLayout<F>): string {
  const rows = Object.entries(r.fields).map(
    ([name, f]) => `| ${r.at[name] ?? 0} | ${name} | ${f.bits} | ${cell(f.doc)} |`,
  );
  return [
    `### ${r.title}`,
    "",
    `\`${r.name}\`, ${r.bits} bits, the first field lowest.`,
    "",
    "| from bit | field | bits | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
