import { readFileSync } from "node:fs";
import { join } from "node:path";
import handlebars from "handlebars";

const engine = handlebars.create();
/** Names in a column behind the three directions. */
engine.registerHelper("pad", (text: string) => text.padEnd("output".length));

/**
 * Fills constraints/templates/<name>.hbs. A value that the template names and the data lack is an error. @param root
 * the project's folder
 */
export function fill(root: string, name: string, data: object): string {
  const text = readFileSync(join(root, "constraints/templates", `${name}.hbs`), "utf8");
  return engine.compile(text, { noEscape: true, assumeObjects: false })(data);
}
