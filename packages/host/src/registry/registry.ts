import { createHash } from 'node:crypto';
import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from 'tenon/client';
import type { ToolChoice } from '../config/server-config.ts';
import { matches } from '../policy/glob.ts';
import type { Keep } from '../state/keep.ts';
import type { Lists } from './lists.ts';
import { qualify } from './names.ts';
import { pinOf } from './pin.ts';
import type { HostTool } from './toolbox.ts';

/** A prompt of some server, under the name that people call it by. */
export interface HostPrompt {
  readonly name: string;
  readonly server: string;
  readonly entry: PromptEntry;
}

export interface HostResource {
  readonly server: string;
  readonly entry: ResourceEntry;
}

export interface HostTemplate {
  readonly server: string;
  readonly entry: TemplateEntry;
}

/** A tool that is not what was approved. */
export interface ChangedTool {
  readonly tool: HostTool;
  readonly before: ToolEntry;
}

interface Pinned {
  readonly pin: string;
  readonly entry: ToolEntry;
}

interface Section {
  readonly tools: readonly HostTool[];
  readonly changed: ReadonlyMap<string, ChangedTool>;
  readonly prompts: readonly HostPrompt[];
  readonly resources: readonly HostResource[];
  readonly templates: readonly HostTemplate[];
}

const pinsName = (alias: string): string => `pins/${createHash('sha256').update(alias).digest('hex').slice(0, 40)}`;

const isChosen = ({ allow, deny = [] }: ToolChoice, name: string): boolean =>
  (allow === undefined || allow.some((glob) => matches(glob, name))) && !deny.some((glob) => matches(glob, name));

/** Everything all servers offer, in one place. */
export class Registry {
  readonly #keep: Keep;
  readonly #aliases: readonly string[];
  readonly #sections = new Map<string, Section>();

  /** `aliases`: in the order in which their tools are listed. */
  constructor(keep: Keep, aliases: readonly string[]) {
    this.#keep = keep;
    this.#aliases = aliases;
  }

  /** Takes what a server offers now. Gives the tools that changed since they were approved: they are not there until `approve`. */
  async take(server: string, lists: Lists, choice: ToolChoice = {}): Promise<ChangedTool[]> {
    const name = pinsName(server);
    const pins = new Map(Object.entries(((await this.#keep.get(name)) ?? {}) as Record<string, Pinned>));
    const tools: HostTool[] = [];
    const changed = new Map<string, ChangedTool>();
    let isNew = false;
    for (const entry of lists.tools) {
      if (!isChosen(choice, entry.name)) continue;
      const tool = { name: qualify(server, choice.rename?.[entry.name] ?? entry.name), server, entry };
      const pinned = pins.get(entry.name);
      if (pinned === undefined) {
        isNew = true;
        pins.set(entry.name, { pin: pinOf(entry), entry });
      } else if (pinned.pin !== pinOf(entry)) {
        changed.set(tool.name, { tool, before: pinned.entry });
        continue;
      }
      tools.push(tool);
    }
    if (isNew) await this.#keep.put(name, Object.fromEntries(pins));
    this.#sections.set(server, {
      tools: tools.sort((a, b) => (a.name < b.name ? -1 : 1)),
      changed,
      prompts: lists.prompts.map((entry) => ({ name: qualify(server, entry.name), server, entry })),
      resources: lists.resources.map((entry) => ({ server, entry })),
      templates: lists.templates.map((entry) => ({ server, entry })),
    });
    return [...changed.values()];
  }

  /** The tool is approved as it is now. False: it has become another one since. */
  async approve({ tool }: ChangedTool): Promise<boolean> {
    const section = this.#sections.get(tool.server);
    const now = section?.changed.get(tool.name);
    if (section === undefined || now === undefined || pinOf(now.tool.entry) !== pinOf(tool.entry)) return false;
    const name = pinsName(tool.server);
    const pins = new Map(Object.entries(((await this.#keep.get(name)) ?? {}) as Record<string, Pinned>));
    pins.set(tool.entry.name, { pin: pinOf(tool.entry), entry: tool.entry });
    await this.#keep.put(name, Object.fromEntries(pins));
    const changed = new Map(section.changed);
    changed.delete(tool.name);
    const tools = [...section.tools, tool].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#sections.set(tool.server, { ...section, tools, changed });
    return true;
  }

  drop(server: string): void {
    this.#sections.delete(server);
  }

  tools(): HostTool[] {
    return this.#all('tools');
  }

  prompts(): HostPrompt[] {
    return this.#all('prompts');
  }

  resources(): HostResource[] {
    return this.#all('resources');
  }

  templates(): HostTemplate[] {
    return this.#all('templates');
  }

  /** A tool by its qualified name, and whether it waits to be approved again. */
  find(name: string): { readonly tool: HostTool; readonly changed: ChangedTool | undefined } | undefined {
    for (const { tools, changed } of this.#sections.values()) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool !== undefined) return { tool, changed: undefined };
      const waits = changed.get(name);
      if (waits !== undefined) return { tool: waits.tool, changed: waits };
    }
    return undefined;
  }

  #all<K extends 'tools' | 'prompts' | 'resources' | 'templates'>(kind: K): Section[K][number][] {
    return this.#aliases.flatMap((alias) => [...(this.#sections.get(alias)?.[kind] ?? [])] as Section[K][number][]);
  }
}
