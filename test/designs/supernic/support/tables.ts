import { type TableName, tables } from "../../../../designs/supernic/wire/index.ts";

/** A table's entry by its fields. */
export function entryOf(name: TableName, value: bigint): Record<string, bigint> {
  let rest = value;
  return Object.fromEntries(
    Object.entries(tables[name].fields as Readonly<Record<string, { readonly bits: number }>>).map(
      ([field, { bits }]) => {
        const v = rest & ((1n << BigInt(bits)) - 1n);
        rest >>= BigInt(bits);
        return [field, v];
      },
    ),
  );
}
