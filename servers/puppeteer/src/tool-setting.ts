import { type CallContext, type Content, reply, text } from 'tenon';
import { z } from 'zod';
import type { ClientPage, PageUse } from './client-page.ts';
import type { Launch } from './launch-options.ts';
import type { Origins } from './origins.ts';

/** What the tools get from their server. */
export interface ToolSetting {
  readonly pageOf: (ctx: CallContext) => ClientPage;
  readonly origins: Origins;
  /** How a browser is started if the model does not say otherwise. */
  readonly launch: Launch;
  readonly allowsDangerous: boolean;
  /** The limit of a navigation and of a script, in milliseconds. */
  readonly timeoutMs: number;
  readonly onScreenshot: (name: string) => void;
}

/** The argument that all tools for elements have. */
export const SELECTOR = z.string().min(1).max(10_000);

/** Uses the page of the caller. */
export function withPage<T>({ pageOf }: ToolSetting, ctx: CallContext, use: PageUse<T>): Promise<T> {
  return pageOf(ctx).use(ctx, use);
}

/** A result, with what happened in the page meanwhile. */
export function shown<T = undefined>(
  { pageOf }: ToolSetting,
  ctx: CallContext,
  content: readonly Content[],
  structuredContent?: T,
) {
  const notes = pageOf(ctx)
    .takeNotes()
    .map((note) => text(note));
  return reply<T>({ content: [...content, ...notes], structuredContent: structuredContent as T });
}

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[\d+m/g;

/** The message of an error of Playwright, with the steps that it tried: without the name of its function, and without colours. */
export function playwrightMessage(error: unknown): string {
  return (error as Error).message
    .replaceAll(COLOURS, '')
    .replace(/^[a-z]+(?:\.[a-zA-Z]+)?: /, '')
    .replace(/^Error: /, '')
    .replace(/\nCall log:\n {2}- waiting for [^\n]*\n?$/, '')
    .trimEnd()
    .slice(0, 2_000);
}
