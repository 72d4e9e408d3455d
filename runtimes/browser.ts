// The browser of this machine, without a window.
import { findChromium } from '../scripts/lib/chromium.ts';

/** What is used of playwright-core. */
export interface Page {
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
  url(): string;
  textContent(selector: string): Promise<string | null>;
  click(selector: string): Promise<void>;
  waitForFunction(script: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
}

interface Chromium {
  launch(options: { executablePath: string; args: string[] }): Promise<{
    newPage(): Promise<Page>;
    close(): Promise<void>;
  }>;
}

export async function launchBrowser(): ReturnType<Chromium['launch']> {
  const place = new URL('node_modules/playwright-core/index.mjs', import.meta.url).href;
  const { chromium } = (await import(place)) as { chromium: Chromium };
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}
