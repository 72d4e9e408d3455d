import { counted } from '@tenon/values/counted';
import type { Page, Request } from 'playwright-core';
import { text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { OpenPage } from './client-page.ts';
import { readLaunchOptions } from './launch-options.ts';
import { limited } from './limited.ts';
import { shownAddress } from './origins.ts';
import { playwrightMessage, shown, type ToolSetting, withPage } from './tool-setting.ts';
import { connectionFailure } from './watch-page.ts';

/** The address of a page to load. Throws a `ToolError` for one that must not be loaded. */
function parseAddress(address: string, { origins }: ToolSetting): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw new ToolError(`That is not a URL: ${address.slice(0, 200)}`);
  if (url.href === 'about:blank' || url.protocol === 'data:') return url;
  if (!/^https?:$/.test(url.protocol))
    throw new ToolError(`${url.protocol} URLs cannot be opened here, only http, https, data and about:blank`);
  const refusal = origins.refusal(url);
  if (refusal !== undefined)
    throw new ToolError(
      `${url.origin} cannot be opened: ${refusal}. It can be allowed with --allow-origin ${url.origin} when the server is started.`,
    );
  return url;
}

/** Follows the redirects of a navigation. */
function watchNavigation(page: Page) {
  let last: string | undefined;
  const listener = (request: Request): void => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request.url();
  };
  page.on('request', listener);
  return { lastUrl: () => last, end: () => page.off('request', listener) };
}

/** Loads a page. Rejects with a `ToolError` that says why it was not loaded. */
async function load({ page, running, devtools }: OpenPage, url: URL, signal: AbortSignal, timeoutMs: number) {
  const navigation = watchNavigation(page);
  try {
    const response = await page.goto(url.href, { signal, timeout: timeoutMs });
    const { targetInfo } = await limited(devtools.send('Target.getTargetInfo'), { signal, timeoutMs });
    return { url: shownAddress(targetInfo.url), title: targetInfo.title.slice(0, 500), status: response?.status() };
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    if (isLate || signal.aborted) devtools.send('Page.stopLoading').catch(() => {});
    signal.throwIfAborted();
    const message = playwrightMessage(error).replaceAll(url.href, shownAddress(url.href));
    // The page about the failure would interrupt the next navigation.
    if (/net::(?!ERR_ABORTED)/.test(message))
      await page.waitForURL(/^chrome-error:/, { timeout: 1_000 }).catch(() => {});
    const last = navigation.lastUrl() ?? url.href;
    const refusal = connectionFailure(running, last, message);
    const reason = isLate
      ? `it took more than ${counted(timeoutMs / 1_000, 'second')}. A screenshot shows how far it came`
      : refusal !== undefined
        ? `${new URL(last).origin}: ${refusal}`
        : /Download is starting|ERR_ABORTED/.test(message)
          ? 'it is a download, or there is nothing to show'
          : message.split('\n')[0]!.replace(/ at .*$/, '');
    throw new ToolError(`${shownAddress(url.href)} was not loaded: ${reason}`, { cause: error });
  } finally {
    navigation.end();
  }
}

/** The tool that loads pages. */
export function navigateTool(setting: ToolSetting) {
  return {
    puppeteer_navigate: tool(
      {
        title: 'Navigate',
        description: 'Navigate to a URL',
        input: z.object({
          url: z.string().max(2_000_000).describe('URL to navigate to'),
          launchOptions: z
            .looseObject({})
            .nullish()
            .describe(
              'How to start the browser: headless, defaultViewport, args. Default null. If changed and not null, browser restarts.',
            ),
          allowDangerous: z
            .boolean()
            .default(false)
            .describe('Has no effect: only the user can allow launch options that reduce security.'),
        }),
        output: z.object({
          url: z.string().describe('The URL of the page that was loaded'),
          title: z.string(),
          status: z.int().optional().describe('The status of the HTTP response'),
        }),
        readOnly: false,
        destructive: false,
        openWorld: true,
      },
      async ({ url: address, launchOptions }, ctx) => {
        const url = parseAddress(address, setting);
        const launch =
          launchOptions === null || launchOptions === undefined
            ? undefined
            : readLaunchOptions(launchOptions, setting.launch, setting);
        const loaded = await withPage(setting, ctx, {
          launch,
          isNavigation: true,
          act: (open) => load(open, url, ctx.signal, setting.timeoutMs),
        });
        const { status } = loaded;
        const failed = status !== undefined && status >= 400 ? ` (status ${status})` : '';
        return shown(setting, ctx, [text(`Navigated to ${shownAddress(url.href)}${failed}`)], loaded);
      },
    ),
  };
}
