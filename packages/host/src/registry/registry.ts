import { appOf } from 'tenon/apps';
import type { PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from 'tenon/client';
import type { ToolChoice } from '../config/server-config.ts';
import type { StateStore } from '../state/state-store.ts';
import { escapeHidden } from '@tenon/values/hidden';
import { truncate } from '../values/plain-text.ts';
import type { ServerDescription } from '../values/server-description.ts';
import type { Lists } from './lists.ts';
import { nameTools, withoutDuplicates } from './name-tools.ts';
import { isNameOf, qualify } from './names.ts';
import { pinOf, pinOfServer } from './pin.ts';
import { type ApprovedVersion, createPins, type Pins } from './pins.ts';
import type { HostTool } from './toolbox.ts';

/** A prompt of a server, with its qualified name. */
export interface HostPrompt {
  /** The qualified name: the alias and the server’s own name. */
  readonly name: string;
  /** The alias of its server. */
  readonly server: string;
  /** The prompt as its server lists it. */
  readonly entry: PromptEntry;
}

/** A resource of a server. */
export interface HostResource {
  /** The alias of its server. */
  readonly server: string;
  /** The resource as its server lists it. */
  readonly entry: ResourceEntry;
}

/** A resource template of a server. */
export interface HostTemplate {
  /** The alias of its server. */
  readonly server: string;
  /** The template as its server lists it. */
  readonly entry: TemplateEntry;
}

/** A tool that differs from the approved version. */
export interface ChangedTool extends ApprovedVersion<ToolEntry> {
  readonly tool: HostTool;
}

/** A server whose description differs from the approved one. */
export interface ChangedServer extends ApprovedVersion<ServerDescription> {
  readonly server: string;
  readonly after: ServerDescription;
}

/** The description of a server, and its change. */
interface DescribedServer {
  readonly description: ServerDescription;
  /** If set, the description is withheld until `approveServer`. */
  readonly changed: ChangedServer | undefined;
}

/** A tool, and its change if it has to be approved again. */
export interface FoundTool {
  readonly tool: HostTool;
  readonly changed: ChangedTool | undefined;
}

interface Section {
  readonly tools: readonly HostTool[];
  /** By qualified name. */
  readonly changed: ReadonlyMap<string, ChangedTool>;
  readonly prompts: readonly HostPrompt[];
  readonly resources: readonly HostResource[];
  readonly templates: readonly HostTemplate[];
  readonly problems: readonly string[];
}

function isSame(a: ServerDescription, b: ServerDescription): boolean {
  return a.server === b.server && a.instructions === b.instructions;
}

function unreadableProblems(changed: readonly ChangedTool[]): string[] {
  return changed.flatMap(({ tool: { entry }, unreadable }) =>
    unreadable === undefined
      ? []
      : [
          `The approved version of the tool '${truncate(escapeHidden(entry.name), 60)}' cannot be read, so the tool is unavailable until it is approved again: ${unreadable}`,
        ],
  );
}

function sorted(tools: readonly HostTool[]): HostTool[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function indexOf(sections: Iterable<Section>): Map<string, FoundTool> {
  const index = new Map<string, FoundTool>();
  const add = (found: FoundTool): void => {
    // If two servers have the same name after all, the first keeps it.
    if (!index.has(found.tool.name)) index.set(found.tool.name, found);
  };
  for (const { tools, changed } of sections) {
    for (const tool of tools) add({ tool, changed: undefined });
    for (const one of changed.values()) add({ tool: one.tool, changed: one });
  }
  return index;
}

/** The tools, prompts and resources of all servers. Operations on the same server run one after the other. */
export class Registry {
  readonly #pins: Pins;
  readonly #aliases: readonly string[];
  readonly #sections = new Map<string, Section>();
  /** All tools by qualified name. Undefined after a change, until the next search. */
  #toolIndex: ReadonlyMap<string, FoundTool> | undefined;
  readonly #described = new Map<string, DescribedServer>();
  /** The last operation in progress, by server. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** How often a server was dropped. Operations that began earlier do not add it again. */
  readonly #drops = new Map<string, number>();
  /** The tools of dropped servers, until their lists are known again. */
  readonly #dropped = new Map<string, Pick<Section, 'tools' | 'changed'>>();
  readonly #isReturning: (server: string) => boolean;

  /**
   * `aliases`: the servers, in the order in which their tools are listed. `isReturning`: whether a dropped server is being started again;
   * its tools stay listed until then.
   */
  constructor(store: StateStore, aliases: readonly string[], isReturning: (server: string) => boolean = () => false) {
    this.#pins = createPins(store);
    this.#aliases = aliases;
    this.#isReturning = isReturning;
  }

  /** Updates the lists of a server. Returns the problems that are new since the last update, in plain sentences. */
  update(server: string, lists: Lists, choice: ToolChoice = {}): Promise<readonly string[]> {
    const drops = this.#drops.get(server);
    return this.#inTurn(server, async () => {
      // The other tools are for pages of apps, which the host does not show (MCP Apps, Visibility).
      const forModel = lists.tools.filter((tool) => appOf(tool).forModel);
      const named = nameTools(server, forModel, choice);
      const approvedVersions = await this.#pins.changedOf(
        server,
        named.tools.map(({ entry }) => entry),
      );
      if (this.#drops.get(server) !== drops) return [];
      const prompts = withoutDuplicates(lists.prompts, 'prompt');
      const changed = named.tools.flatMap((tool): ChangedTool[] => {
        const approved = approvedVersions.get(tool.entry.name);
        return approved === undefined ? [] : [{ tool, ...approved }];
      });
      const problems = [...named.problems, ...prompts.problems, ...unreadableProblems(changed)];
      const reported = this.#sections.get(server)?.problems ?? [];
      this.#dropped.delete(server);
      this.#setSection(server, {
        tools: sorted(named.tools.filter(({ entry }) => !approvedVersions.has(entry.name))),
        changed: new Map(changed.map((one) => [one.tool.name, one])),
        prompts: prompts.entries.map((entry) => ({ name: qualify(server, entry.name), server, entry })),
        resources: lists.resources.map((entry) => ({ server, entry })),
        templates: lists.templates.map((entry) => ({ server, entry })),
        problems,
      });
      return problems.filter((problem) => !reported.includes(problem));
    });
  }

  /** Updates the description of a server. Returns its problems, in plain sentences. */
  describe(server: string, description: ServerDescription): Promise<readonly string[]> {
    const drops = this.#drops.get(server);
    return this.#inTurn(server, async () => {
      const approved = await this.#pins.changedServer(server, description);
      if (this.#drops.get(server) !== drops) return [];
      const changed = approved === undefined ? undefined : { server, after: description, ...approved };
      this.#described.set(server, { description, changed });
      const { unreadable } = approved ?? {};
      return unreadable === undefined
        ? []
        : [
            `Its approved name and instructions cannot be read, so its instructions are withheld until they are approved again: ${unreadable}`,
          ];
    });
  }

  /** Whether this is the description that `describe` received last. */
  isDescribed(server: string, description: ServerDescription): boolean {
    const known = this.#described.get(server);
    return known !== undefined && isSame(known.description, description);
  }

  /** Whether this description is approved, so that the model may get it. */
  isApproved(server: string, description: ServerDescription): boolean {
    return this.isDescribed(server, description) && this.#described.get(server)?.changed === undefined;
  }

  /** The tools and the description of a server that differ from what was approved. */
  changedOf(server: string): { readonly tools: readonly ChangedTool[]; readonly server: ChangedServer | undefined } {
    return {
      tools: [...(this.#sections.get(server)?.changed.values() ?? [])],
      server: this.#described.get(server)?.changed,
    };
  }

  /** Approves a changed tool. False if it has changed again since. */
  approve({ tool: { server, entry } }: ChangedTool): Promise<boolean> {
    const pin = pinOf(entry);
    const waiting = (): ChangedTool | undefined =>
      [...(this.#sections.get(server)?.changed.values() ?? [])].find(
        ({ tool }) => tool.entry.name === entry.name && pinOf(tool.entry) === pin,
      );
    return this.#inTurn(server, async () => {
      // The approval for a dropped server is stored for its return.
      if (this.#sections.has(server) && waiting() === undefined) return false;
      await this.#pins.approve(server, entry);
      const [section, now] = [this.#sections.get(server), waiting()];
      if (section === undefined || now === undefined) return true;
      const changed = new Map(section.changed);
      changed.delete(now.tool.name);
      this.#setSection(server, { ...section, tools: sorted([...section.tools, now.tool]), changed });
      return true;
    });
  }

  /** Refuses a changed tool permanently: no host asks about this version again. */
  refuse({ tool: { server, entry } }: ChangedTool): Promise<void> {
    return this.#inTurn(server, () => this.#pins.refuse(server, entry));
  }

  /** Whether this version was refused permanently. */
  isRefused({ tool: { server, entry } }: ChangedTool): Promise<boolean> {
    return this.#pins.isRefused(server, entry);
  }

  /** Approves a changed description. False if it has changed again since. */
  approveServer({ server, after }: ChangedServer): Promise<boolean> {
    const pin = pinOfServer(after);
    return this.#inTurn(server, async () => {
      const now = (): DescribedServer | undefined => this.#described.get(server);
      const isOther = (described: DescribedServer | undefined): boolean =>
        described !== undefined && pinOfServer(described.description) !== pin;
      if (isOther(now())) return false;
      await this.#pins.approveServer(server, after);
      const described = now();
      if (described !== undefined && !isOther(described))
        this.#described.set(server, { ...described, changed: undefined });
      return true;
    });
  }

  /** Refuses a changed description permanently. */
  refuseServer({ server, after }: ChangedServer): Promise<void> {
    return this.#inTurn(server, () => this.#pins.refuseServer(server, after));
  }

  isServerRefused({ server, after }: ChangedServer): Promise<boolean> {
    return this.#pins.isServerRefused(server, after);
  }

  /** Removes a server immediately. Operations in progress do not add it again. Its tools stay listed while it is being started again. */
  drop(server: string): void {
    this.#drops.set(server, (this.#drops.get(server) ?? 0) + 1);
    const section = this.#sections.get(server);
    if (section !== undefined) this.#dropped.set(server, section);
    this.#setSection(server, undefined);
    this.#described.delete(server);
  }

  /** Whether this server was dropped and had lists before. */
  isDropped(server: string): boolean {
    return this.#dropped.has(server);
  }

  /** The dropped server that had a tool of this name. */
  unavailableServerOf(name: string): string | undefined {
    for (const [server, { tools, changed }] of this.#dropped)
      if (changed.has(name) || tools.some((tool) => tool.name === name)) return server;
    // A model may know the name from an earlier conversation, or the person from a document.
    return this.#aliases.find(
      (alias) => !this.#sections.has(alias) && !this.#dropped.has(alias) && isNameOf(alias, name),
    );
  }

  /** The tools of all servers. A model may still call those of a server that is being started again, so they are among them. */
  tools(): HostTool[] {
    return this.#aliases.flatMap((alias) => {
      const returning = this.#isReturning(alias) ? this.#dropped.get(alias) : undefined;
      return [...((this.#sections.get(alias) ?? returning)?.tools ?? [])];
    });
  }

  /** The tools that a server offers now, for which decisions can be made. */
  toolsOf(server: string): readonly HostTool[] {
    return this.#sections.get(server)?.tools ?? [];
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

  /** Finds a tool by its qualified name, and its change if it has to be approved again. */
  find(name: string): FoundTool | undefined {
    this.#toolIndex ??= indexOf(this.#sections.values());
    return this.#toolIndex.get(name);
  }

  #setSection(server: string, section: Section | undefined): void {
    if (section === undefined) this.#sections.delete(server);
    else this.#sections.set(server, section);
    this.#toolIndex = undefined;
  }

  #all<K extends 'prompts' | 'resources' | 'templates'>(kind: K): Section[K][number][] {
    return this.#aliases.flatMap((alias) => [...(this.#sections.get(alias)?.[kind] ?? [])] as Section[K][number][]);
  }

  async #inTurn<T>(server: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(server) ?? Promise.resolve()).then(work);
    // A failed operation does not block the next one.
    this.#turns.set(
      server,
      turn.catch(() => {}),
    );
    return turn;
  }
}
