/**
 * The Verilog name of a TypeScript one: every capital begins a word, words are lower case with `_` between them.
 * `outOfMemory` is `out_of_memory`, `sAw` is `s_aw`, `fifo_tagQ` is `fifo_tag_q`. Digits stay with the characters
 * before them (`crc16O` is `crc16_o`), and a word in capitals stays one (`DATA_IN` is `data_in`). A name in snake_case
 * stays as it is.
 */
export function snakeCase(name: string): string {
  if (!/[A-Z]/.test(name)) return name;
  return name
    .split("_")
    .map(word => (/[a-z]/.test(word) ? word.replace(/(?<=.)[A-Z]/gs, "_$&") : word).toLowerCase())
    .join("_");
}
