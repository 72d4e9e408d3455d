import { build } from 'esbuild';

/** Bundles a script with all its imports into one HTML page, because the page of an app loads no other files. */
export async function buildPage(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
  });
  // `</script` in the code would end the script element.
  const code = outputFiles[0]!.text.replaceAll('</script', '<\\/script');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Habits</title>
<style>
  :root { color-scheme: light dark; font: 14px system-ui, sans-serif }
  body { margin: 0; padding: 12px }
  th { padding: 2px 8px; font-weight: 500; text-align: start }
  td { padding: 2px 8px; text-align: center }
  p { margin: 8px 0 0 }
</style>
<body>
<main aria-busy="true"></main>
<script type="module">${code}</script>
</body>
</html>
`;
}
