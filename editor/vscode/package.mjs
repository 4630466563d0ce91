// Packages the extension: `node editor/vscode/package.mjs [file.vsix]`, then `code --install-extension file.vsix`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { zip } from "./zip.mjs";

const here = dirname(fileURLToPath(import.meta.url)),
  manifestText = readFileSync(join(here, "manifest.json"), "utf8");
/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} publisher
 * @property {string} displayName
 * @property {string} description
 * @property {{ vscode: string }} engines
 */
/** @type {unknown} */
const parsed = JSON.parse(manifestText);
const manifest = /** @type {Manifest} */ (parsed);

const { outputFiles } = await build({
  entryPoints: [join(here, "src/extension.ts")],
  bundle: true,
  write: false,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});

const about = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}" />
    <DisplayName>${manifest.displayName}</DisplayName>
    <Description xml:space="preserve">${manifest.description}</Description>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="${manifest.engines.vscode}" /></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
  </Assets>
</PackageManifest>
`;
const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="json" ContentType="application/json" />
  <Default Extension="js" ContentType="application/javascript" />
  <Default Extension="vsixmanifest" ContentType="text/xml" />
</Types>
`;

const out = process.argv[2] ?? `out/${manifest.name}-${manifest.version}.vsix`;
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
  out,
  zip({
    "extension.vsixmanifest": about,
    "[Content_Types].xml": types,
    "extension/package.json": manifestText,
    "extension/extension.js": outputFiles[0]?.text ?? "",
  }),
);
console.log(out);
