/**
 * Colours of one appearance: text, text beside it, the page, a box on it, rules, holding and failing verdicts,
 * calibrated, and the series.
 */
interface Appearance {
  readonly text: string;
  readonly soft: string;
  readonly page: string;
  readonly box: string;
  readonly rule: string;
  readonly good: string;
  readonly bad: string;
  readonly amber: string;
  readonly link: string;
  readonly series: readonly string[];
}

/**
 * The colours of the series are after Okabe and Ito's, which most colour-blind people tell apart. Each has a contrast
 * of 3 or more to the box behind it, text of 4.5 or more.
 */
const light: Appearance = {
  text: "#1b1f24",
  soft: "#57606a",
  page: "#ffffff",
  box: "#f5f6f8",
  rule: "#d5d9de",
  good: "#1a7f37",
  bad: "#c0262d",
  amber: "#8a5a00",
  link: "#0063a0",
  series: ["#0072b2", "#d55e00", "#008a63", "#b3468c", "#8a6d00", "#3a8fc7", "#555555", "#7a4fbf"],
};
const dark: Appearance = {
  text: "#e4e8ec",
  soft: "#a0a8b2",
  page: "#14171b",
  box: "#1d2127",
  rule: "#363c44",
  good: "#4cc26b",
  bad: "#ff7b72",
  amber: "#e0b050",
  link: "#6cb8f0",
  series: ["#56b4e9", "#ff9a4d", "#2fc79a", "#e58fc4", "#e6c84d", "#8ec9f0", "#b5b5b5", "#b79cf0"],
};

const declared = ({ series, ...named }: Appearance): string =>
  [
    ...Object.entries(named).map(([name, colour]) => `--${name}:${colour}`),
    ...series.map((c, i) => `--c${i}:${c}`),
  ].join(";");

/** The colours as CSS: light, and dark where the reader's system says so and it is no print. */
export const palette = `:root{color-scheme:light dark;${declared(light)}}
@media screen and (prefers-color-scheme:dark){:root{${declared(dark)}}}`;
