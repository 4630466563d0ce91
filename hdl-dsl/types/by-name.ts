/**
 * An object with an entry for each name: the fields of a struct, the ports of a module. The compiler knows the names as
 * far as it knows those of the list; `Object.fromEntries` loses them.
 */
export function byName<const K extends string, V>(
  names: readonly K[],
  make: (name: K, index: number) => V,
): { readonly [N in K]: V } {
  return Object.fromEntries(names.map((n, i) => [n, make(n, i)])) as { readonly [N in K]: V };
}
