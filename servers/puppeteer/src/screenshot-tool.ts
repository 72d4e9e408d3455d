import { type Content, image, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { OpenPage } from './client-page.ts';
import { MAX_PIXELS } from './launch-options.ts';
import { limited } from './limited.ts';
import { screenshotUri } from './page-resources.ts';
import { playwrightMessage, SELECTOR, shown, type ToolSetting, withPage } from './tool-setting.ts';

const SCREENSHOT_MS = 15_000;
const MAX_PNG_BYTES = 5 * 1024 * 1024;
/** The size of the largest element of which a screenshot is taken, in CSS pixels. */
const MAX_AREA = MAX_PIXELS * MAX_PIXELS;

const pixels = z.int().min(1).max(MAX_PIXELS);

interface Wanted {
  readonly selector: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly timeout: number;
  readonly signal: AbortSignal;
}

async function takeScreenshot({ page }: OpenPage, { selector, width, height, ...limits }: Wanted): Promise<Buffer> {
  await page.setViewportSize({ width, height });
  if (selector === undefined) return page.screenshot(limits);
  const element = page.locator(`css=${selector}`).first();
  if ((await element.count()) === 0) throw new ToolError(`Element not found: ${selector}`);
  const box = await element.boundingBox(limits);
  if (box === null) throw new ToolError(`The element is not visible: ${selector}`);
  if (box.width * box.height > MAX_AREA)
    throw new ToolError(
      `The element is too large for a screenshot: ${Math.round(box.width)}x${Math.round(box.height)}. Choose an element in it.`,
    );
  return element.screenshot(limits);
}

/** The tool that takes screenshots. */
export function screenshotTool(setting: ToolSetting) {
  return {
    puppeteer_screenshot: tool(
      {
        title: 'Take a screenshot',
        description: 'Take a screenshot of the current page or a specific element',
        input: z.object({
          name: z.string().min(1).max(200).describe('Name for the screenshot'),
          selector: SELECTOR.optional().describe('CSS selector for element to screenshot'),
          width: pixels.default(800).describe('Width in pixels (default: 800)'),
          height: pixels.default(600).describe('Height in pixels (default: 600)'),
          encoded: z
            .boolean()
            .default(false)
            .describe(
              'If true, capture the screenshot as a base64-encoded data URI (as text) instead of binary image content. Default false.',
            ),
        }),
        output: z.object({
          uri: z.string().describe('The resource with the screenshot'),
          bytes: z.int().describe('The size of the PNG file'),
        }),
        // The size of the page changes, which pages can notice.
        readOnly: false,
        destructive: false,
        idempotent: true,
        openWorld: true,
      },
      async ({ name, selector, width, height, encoded }, ctx) => {
        const timeout = Math.min(SCREENSHOT_MS, setting.timeoutMs);
        const wanted: Wanted = { selector, width, height, timeout, signal: ctx.signal };
        const png = await withPage(setting, ctx, {
          act: async (open) => {
            try {
              return await limited(takeScreenshot(open, wanted), { signal: ctx.signal, timeoutMs: timeout });
            } catch (error) {
              if (ctx.signal.aborted || error instanceof ToolError) throw error;
              throw new ToolError(`Screenshot failed: ${playwrightMessage(error)}`, { cause: error });
            }
          },
        });
        if (png.length > MAX_PNG_BYTES)
          throw new ToolError(
            `The screenshot has ${png.length} bytes, more than ${MAX_PNG_BYTES}: choose a smaller width and height, or an element`,
          );
        setting.pageOf(ctx).screenshots.set(name, png);
        setting.onScreenshot(name);
        const data = png.toString('base64');
        const content: Content[] = [
          text(`Screenshot '${name}' taken at ${width}x${height}`),
          encoded ? text(`data:image/png;base64,${data}`) : image(png, 'image/png'),
        ];
        return shown(setting, ctx, content, { uri: screenshotUri(name), bytes: png.length });
      },
    ),
  };
}
