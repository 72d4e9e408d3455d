import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { revisions } from 'tenon';
import { defineConfig, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

const EXPECTED_WARNINGS: ReadonlySet<string | undefined> = new Set([
  // `use client` is for servers that render React.
  'MODULE_LEVEL_DIRECTIVE',
  // The page loads at once what a server loads later: the compiler of schemas.
  'INEFFECTIVE_DYNAMIC_IMPORT',
  // Compressing takes longer than the rest.
  'PLUGIN_TIMINGS',
]);

/** Smaller files gain nothing. */
const WORTH_IT = 512;

/** Writes each asset a second and third time, compressed, so that the server only has to hand them out. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets');
      for (const name of readdirSync(assets).sort()) {
        if (!/\.(?:js|css|svg)$/.test(name)) continue;
        const bytes = readFileSync(join(assets, name));
        if (bytes.length < WORTH_IT) continue;
        const quality = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
        writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** The form engine brings a renderer of Markdown. What servers write is shown as it is written. */
function plainText(): Plugin {
  return {
    name: 'plain-text',
    enforce: 'pre',
    resolveId: (id) => (id === 'markdown-to-jsx/react' ? '\0plain-text' : undefined),
    load: (id) => (id === '\0plain-text' ? 'export const Markdown = ({ children }) => children;' : undefined),
  };
}

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export.
export default defineConfig({
  root: join(folder, 'ui'),
  base: '/',
  publicDir: false,
  cacheDir: join(folder, 'node_modules/.vite'),
  clearScreen: false,
  plugins: [plainText(), precompress()],
  // The server of the web puts the nonce of each answer in the place of this word.
  html: { cspNonce: '__NONCE__' },
  css: { modules: { generateScopedName: (name, file) => `${basename(file, '.module.css')}-${name}` } },
  define: {
    'process.env.NODE_ENV': JSON.stringify('production'),
    // The page would load half a server with the table of the SDK.
    'import.meta.env.REVISIONS': JSON.stringify(revisions.toReversed()),
  },
  build: {
    outDir: join(folder, 'dist/page'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: false,
    // What is loaded at first is kept small by a test; the editor is a chunk of its own.
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: {
      // Of an entry point of the SDK only the modules that the page uses, and no files that nothing loads.
      experimental: { lazyBarrel: true },
      onwarn(warning, tell) {
        if (!EXPECTED_WARNINGS.has(warning.code)) tell(warning);
      },
    },
  },
});
