import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

/** What is in the page under licenses that ask to be named. */
function licenses(): Plugin {
  const packages = ["three", "uplot"].map((name) => {
    const text = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8");
    return `${name}\n\n${text.trim()}`;
  });
  const comment = `<!-- This page has in it:\n\n${packages.join("\n\n---\n\n")}\n-->`;
  return { name: "licenses", enforce: "post", transformIndexHtml: (html) => html.replace("</body>", () => `${comment}\n</body>`) };
}

// One HTML file with everything in it: it must open from a disk without a network.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), licenses()],
  build: { target: "es2022", reportCompressedSize: false, assetsInlineLimit: Infinity, modulePreload: false },
});
