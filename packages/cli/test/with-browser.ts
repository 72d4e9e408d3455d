import { type Outcome, type RunOptions, tenon } from './run-tenon.ts';

/** Acts like a browser that opens the page. */
export async function openAsBrowser(page: string): Promise<string> {
  const back = (await fetch(page, { redirect: 'manual' })).headers.get('location')!;
  return (await fetch(back)).text();
}

/** Runs the command, and logs in when it asks for it. `page`: what the browser showed at the end; undefined if it was not opened. */
export async function withBrowser(
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome & { readonly page: string | undefined }> {
  let opened: Promise<string> | undefined;
  const outcome = await tenon(args, {
    ...options,
    onStderr(stderr) {
      const page = /browser: (\S+)\n/.exec(stderr)?.[1];
      if (page !== undefined) opened ??= openAsBrowser(page);
    },
  });
  return { ...outcome, page: await opened };
}
