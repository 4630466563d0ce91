/** A number as a person reads it: three or four digits, thousands apart. */
export function readable(n: number): string {
  if (Number.isInteger(n)) return n.toString().replace(/\B(?=(\d{3})+$)/g, " ");
  const text = Math.abs(n) >= 100 ? n.toFixed(1) : Math.abs(n) >= 1 ? n.toFixed(2) : n.toPrecision(3);
  const [whole = "", part = ""] = text.split(".");
  const kept = part.replace(/0+$/, "");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, " ")}${kept === "" ? "" : `.${kept}`}`;
}

/** Text in HTML and SVG. */
export function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
