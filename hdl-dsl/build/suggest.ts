/** Foresees a misspelling. */

/** Edits (insert, delete, change, swap of neighbours) from `a` to `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [],
    row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] as number) + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}

/** The known names that are few edits away, the nearest first. */
export function namesNear(wrong: string, known: readonly string[]): readonly string[] {
  const most = Math.max(2, Math.floor(wrong.length / 4));
  return known
    .map(k => ({ k, d: Math.abs(k.length - wrong.length) > most ? Infinity : distance(wrong, k) }))
    .filter(x => x.d <= most)
    .sort((a, b) => a.d - b.d)
    .map(x => x.k);
}

/** `Did you mean Idle? ` when one of the known names is at most two edits away, otherwise nothing. */
export function didYouMean(wrong: string, known: readonly string[]): string {
  const near = known
    .map(k => ({ k, d: distance(wrong, k) }))
    .filter(x => x.d <= Math.min(2, wrong.length - 1))
    .sort((a, b) => a.d - b.d)[0];
  return near === undefined ? "" : `Did you mean ${near.k}? `;
}
