/** The page of a setup file's fields, made from the schema. */
import * as z from "zod";
import { setupSchema } from "./schema.ts";

/** The object that stands in a field, if one does: by itself, in lists, or as one of several alternatives. */
function objectIn(schema: z.core.$ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return objectIn(schema.unwrap());
  if (schema instanceof z.ZodArray) return objectIn(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.map(objectIn).find(o => o !== undefined);
  return undefined;
}
function defaultOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional) return "may be left out";
  if (!(schema instanceof z.ZodDefault)) return "";
  const value: unknown = schema.def.defaultValue;
  return Array.isArray(value) && value.length === 0 ? "none" : `\`${JSON.stringify(value)}\``;
}
/** Bars would end a cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

function section(title: string, schema: z.ZodObject): string {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape,
    fields = Object.entries(shape);
  const rows = fields.map(
    ([name, field]) => `| \`${name}\` | ${cell(field.description ?? "")} | ${defaultOf(field)} |`,
  );
  const inside = fields.flatMap(([name, field]) => {
    const object = objectIn(field);
    return object === undefined ? [] : [section(`${title === "" ? "" : `${title}.`}${name}`, object)];
  });
  const heading = title === "" ? "## Fields" : `## ${title}`;
  return [`${heading}\n\n| field | what it is | default |\n|---|---|---|\n${rows.join("\n")}\n`, ...inside].join("\n");
}

export function setupReference(): string {
  return `# SuperNIC: the setup file

Generated from \`designs/supernic/software/setup\`; do not edit. [examples/supernic.setup.json](../../examples/supernic.setup.json) has each kind of field but \`kvNode\`, \`keys\`, \`launch\`, \`gbnNodes\` and \`replicas\`.

A setup says who is there, what the regions hold, and who may use it. What it says must fit together and fit the device, else it is refused in one sentence: file, field, value, remedy.
A DAG's stages run one after the other, the branches of a stage side by side. Branches may not write the same bytes of the header, nor read what another one writes. A tunnel is the last task of a pass.

${section("", setupSchema)}`;
}
