/** The table operator x place: how often each was built, and why the empty cells are no programs. */
import { Random } from "../../../../hdl-dsl/random.ts";
import { operators } from "./operators.ts";
import { positions } from "./positions.ts";
import { s, type Spec, u } from "./term.ts";

/** What a row gives or a column takes: the least and the greatest width. Signs are no reason: a cast changes them. */
interface Kinds {
  readonly least: number;
  readonly most: number;
}
const MOST = 36;
const kindsOf = (specs: readonly Spec[]): Kinds => ({
  least: Math.min(...specs.map(x => x.width)),
  most: Math.max(...specs.map(x => x.width)),
});
const every: readonly Spec[] = Array.from({ length: MOST }, (_, n) => [u(n + 1), s(n + 1)]).flat();

/** What each operator gives and each place takes, as they say themselves. */
function kinds(): { readonly gives: ReadonlyMap<string, Kinds>; readonly takes: ReadonlyMap<string, Kinds> } {
  const random = new Random(3),
    gives = new Map<string, Kinds>([
      ["number", kindsOf(every)],
      ["signal", kindsOf(every)],
    ]),
    takes = new Map<string, Kinds>(positions.map(p => [p.name, kindsOf(p.takes)]));
  for (const o of operators) {
    const results = every.filter(x => o.use(random, x) !== undefined);
    gives.set(o.name, kindsOf(results));
    o.slots.forEach((slot, at) => {
      const specs = results.flatMap(x => Array.from({ length: 40 }, () => o.use(random, x)?.operands[at] ?? []).flat());
      if (o.slots.indexOf(slot) === at) takes.set(`${o.name}: ${slot}`, kindsOf(specs));
    });
  }
  return { gives, takes };
}

/** Why an operator cannot stand in a place; undefined where nothing forbids it. */
export function reasons(): (operator: string, position: string) => string | undefined {
  const { gives, takes } = kinds();
  return (operator, position) => {
    const a = gives.get(operator),
      b = takes.get(position);
    if (a === undefined || b === undefined) return undefined;
    if (a.most < b.least) return `${b.least} bits or more are asked for`;
    if (a.least > b.most) return `${b.most === 1 ? "1 bit is" : `at most ${b.most} bits are`} asked for`;
    return undefined;
  };
}

/** The table as text: `.` is a cell with its reason, a digit how often it was built (9: 9 or more). */
export function printed(
  rows: readonly string[],
  columns: readonly string[],
  count: (r: string, c: string) => number,
): string {
  const wide = Math.max(...rows.map(r => r.length));
  const head = [0, 1, 2].map(
    line => " ".repeat(wide + 1) + columns.map((_, n) => String(n).padStart(3, " ")[line] as string).join(""),
  );
  return [
    ...columns.map((c, n) => `${String(n).padStart(3)} ${c}`),
    ...head,
    ...rows.map(r => {
      const cells = columns.map(c => count(r, c)).map(n => (n === 0 ? "." : String(Math.min(9, n))));
      return `${r.padEnd(wide)} ${cells.join("")}`;
    }),
  ].join("\n");
}
