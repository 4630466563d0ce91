/** The first place in a table of `entries` where `length` entries in a row are free. */
export function gapFor(
  taken: readonly { readonly base: number; readonly limit: number }[],
  length: number,
  entries: number,
): number | undefined {
  let at = 0;
  for (const { base, limit } of [...taken].sort((a, b) => a.base - b.base)) {
    if (base - at >= length) return at;
    at = base + limit;
  }
  return entries - at >= length ? at : undefined;
}
