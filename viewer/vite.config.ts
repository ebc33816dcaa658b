import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One HTML file with everything in it: it must open from a disk without a network.
export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2022", reportCompressedSize: false, assetsInlineLimit: Infinity, modulePreload: false },
});
