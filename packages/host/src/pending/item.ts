import type { JsonSchema, SampleParams, SampleResult, ToolEntry } from 'tenon/client';
import type { ServerDescription } from '../values/server-description.ts';

/** Something that waits for a person. Plain JSON: it can be kept, and answered from another process. */
export type Item =
  | StartItem
  | CallItem
  | ReadItem
  | QuestionItem
  | SampleItem
  | SampledItem
  | ChangedItem
  | ChangedServerItem;

interface Waiting {
  /** Unguessable. */
  readonly id: string;
  /** When it came up, in milliseconds since 1970. */
  readonly at: number;
  /** The server it is about, by its alias in the configuration. */
  readonly server: string;
  /** What a person should look at before saying yes, in plain sentences. */
  readonly warnings: readonly string[];
}

/** May this program be started, or this address be talked to? Everything is shown whole. */
export interface StartItem extends Waiting {
  readonly kind: 'start';
  readonly target:
    | {
        readonly command: string;
        readonly args: readonly string[];
        readonly cwd: string | undefined;
        /** Names only: values may be secrets. Those in its file are among them. */
        readonly env: readonly string[];
        readonly envFile?: string;
      }
    | { readonly url: string; readonly headers: readonly string[] };
  /** Variables of this machine that would be given to it. */
  readonly variables: readonly string[];
  /** What an earlier approval was for, if it was for something else. */
  readonly changed: readonly string[];
  /** The configuration that names it. */
  readonly source: string | undefined;
}

/** May this tool be called, with these arguments? */
export interface CallItem extends Waiting {
  readonly kind: 'call';
  /** The qualified name. */
  readonly tool: string;
  /** The title, or the name the server gives it. */
  readonly title: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Who wants it. */
  readonly by: 'model' | 'user';
}

/** May this resource be read into the conversation? */
export interface ReadItem extends Waiting {
  readonly kind: 'read';
  readonly uri: string;
  readonly by: 'model' | 'user';
}

/** A server asks the person something: a form, or a page to visit. */
export interface QuestionItem extends Waiting {
  readonly kind: 'question';
  readonly message: string;
  /** The qualified name of the tool that asks, where that is known. */
  readonly tool: string | undefined;
  /** What the server calls the question, if it does. */
  readonly name: string | undefined;
  readonly form: { readonly schema: JsonSchema; readonly defaults: Readonly<Record<string, unknown>> } | undefined;
  /** The whole address. Never opened by the host itself. `host`: as it is written and, for an international name, as it is read. */
  readonly page: { readonly url: string; readonly host: string } | undefined;
}

/** May the server have the model answer this? It can be changed before. */
export interface SampleItem extends Waiting {
  readonly kind: 'sample';
  readonly request: SampleParams;
  /** The model that would answer. */
  readonly model: string;
}

/** May the server have this answer of the model? It can be changed before. */
export interface SampledItem extends Waiting {
  readonly kind: 'sampled';
  readonly request: SampleParams;
  readonly result: SampleResult;
}

/** A tool is not what was approved any more. It cannot be called until this is allowed. */
export interface ChangedItem extends Waiting {
  readonly kind: 'changed';
  readonly tool: string;
  /** What was approved. Undefined: it cannot be read any more. */
  readonly before: ToolEntry | undefined;
  readonly after: ToolEntry;
  /** Lines that begin with `-`, `+` or a space. */
  readonly difference: readonly string[];
}

/** A server says something else of itself than what was approved. Its instructions are not given to the model until this is allowed. */
export interface ChangedServerItem extends Waiting {
  readonly kind: 'changed-server';
  /** What was approved. Undefined: it cannot be read any more. */
  readonly before: ServerDescription | undefined;
  readonly after: ServerDescription;
  /** Lines that begin with `-`, `+` or a space. */
  readonly difference: readonly string[];
}

/** How long a yes or no holds: for this one, until the host closes, or from now on. */
export type Scope = 'once' | 'session' | 'always';

/** What a person says to an item. */
export interface Decision {
  /** For a question: whether it is answered. */
  readonly allow: boolean;
  /** Default `once`. Questions and samplings are always decided once, unless a sampling is allowed for longer. */
  readonly scope?: Scope;
  /** Said to the model, or to the server. */
  readonly reason?: string;
  /** The filled-in form. */
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
  /** The person went away rather than saying no. */
  readonly cancel?: boolean;
  /** The request to the model as the person wants it. */
  readonly request?: SampleParams;
  /** The answer of the model as the person wants it. */
  readonly result?: SampleResult;
  /** No person said it: nobody could be asked, or what came was no answer. `reason` says why. */
  readonly automatic?: true;
}
