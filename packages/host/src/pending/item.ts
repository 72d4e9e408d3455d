import type { ElicitValue, JsonSchema, SampleParams, SampleResult, ToolEntry } from 'tenon/client';
import type { ServerDescription } from '../values/server-description.ts';

/** An item that waits for a decision of a person. Plain JSON, so that it can be stored and answered from another process. */
export type Item =
  | StartItem
  | CallItem
  | ReadItem
  | QuestionItem
  | SamplingRequestItem
  | SamplingResponseItem
  | ChangedItem
  | ChangedServerItem;

/** The members of every item. */
interface ItemBase {
  /** Unguessable. */
  readonly id: string;
  /** When the item was created, in milliseconds since 1970. For a question with `resumed`: when the earlier program asked it. */
  readonly at: number;
  /** The alias of the server in the configuration. */
  readonly server: string;
  /** Warnings for the person, in plain sentences. */
  readonly warnings: readonly string[];
}

/** May this program be started, or this URL be connected to? Everything is shown in full. */
export interface StartItem extends ItemBase {
  readonly kind: 'start';
  /** The program to start, or the URL to connect to. */
  readonly target:
    | {
        /** The program. Variables of this machine are filled in here and in what follows. */
        readonly command: string;
        /** Its arguments. */
        readonly args: readonly string[];
        /** The working folder. Undefined: that of the host. */
        readonly cwd: string | undefined;
        /** Names only, as values may be secrets. Includes the variables of `envFile`. */
        readonly env: readonly string[];
        /** The path of a file with more variables, if the configuration names one. */
        readonly envFile: string | undefined;
      }
    | {
        /** The URL, with variables of this machine filled in. */
        readonly url: string;
        /** Names only. */
        readonly headers: readonly string[];
      };
  /** Variables of this machine that the server would receive. */
  readonly variables: readonly string[];
  /** The differences from what was approved earlier, if there was an approval. */
  readonly changed: readonly string[];
  /** The path of its configuration file. */
  readonly source: string | undefined;
}

/** May this tool be called, with these arguments? */
export interface CallItem extends ItemBase {
  readonly kind: 'call';
  /** The qualified name. */
  readonly tool: string;
  /** The title, or else the server's own name for the tool. */
  readonly title: string;
  /** The arguments of the call, in full. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Who requested the call. */
  readonly by: 'model' | 'user';
}

/** May this resource be read into the conversation? */
export interface ReadItem extends ItemBase {
  readonly kind: 'read';
  /** The URI of the resource. */
  readonly uri: string;
  /** Who requested to read it. */
  readonly by: 'model' | 'user';
}

/** A question of a server (elicitation): a form, or a page to open. */
export interface QuestionItem extends ItemBase {
  readonly kind: 'question';
  /** Set if the question belongs to a call that an earlier program began, and that this one resumes. `at` says when it was first asked. */
  readonly resumed?: true | undefined;
  /** The text that the server wrote for the person. Untrusted. */
  readonly message: string;
  /** The qualified name of the tool that asks, if it is known. */
  readonly tool: string | undefined;
  /** The server's name for the question, if it has one. */
  readonly name: string | undefined;
  /** The fields to fill in: a flat JSON Schema, and the default of each field that has one. Undefined for a page. */
  readonly form: { readonly schema: JsonSchema; readonly defaults: Readonly<Record<string, ElicitValue>> } | undefined;
  /**
   * The page to open: its full URL, which the host itself never opens, and its host name, followed by its Unicode form if that differs.
   * Undefined for a form.
   */
  readonly page: { readonly url: string; readonly host: string } | undefined;
}

/** May the server send this sampling request to the model? The person can edit it. */
export interface SamplingRequestItem extends ItemBase {
  readonly kind: 'sample';
  /** The request, as the server sent it. To leave out the context, allow it with `includeContext: 'none'` in `request`. */
  readonly request: SampleParams;
  /** The name of the model that would answer. */
  readonly model: string;
  /** The context that the model would get with it, as the program provides it. Undefined if there is none. */
  readonly context: string | undefined;
}

/** May the server receive this response of the model? The person can edit it. */
export interface SamplingResponseItem extends ItemBase {
  readonly kind: 'sampled';
  /** The request, as the person allowed it. */
  readonly request: SampleParams;
  /** The response of the model. */
  readonly result: SampleResult;
}

/** A tool changed since it was approved. It cannot be called until the change is allowed. */
export interface ChangedItem extends ItemBase {
  readonly kind: 'changed';
  /** The qualified name. */
  readonly tool: string;
  /** The approved version. Undefined if it can no longer be read. */
  readonly before: ToolEntry | undefined;
  /** The version that the server lists now. */
  readonly after: ToolEntry;
  /** Lines that begin with `-`, `+` or a space. */
  readonly difference: readonly string[];
}

/**
 * A server changed its name or instructions since they were approved. The model does not get the instructions until the change is allowed.
 */
export interface ChangedServerItem extends ItemBase {
  readonly kind: 'changed-server';
  /** The approved version. Undefined if it can no longer be read. */
  readonly before: ServerDescription | undefined;
  /** The current version of the server. */
  readonly after: ServerDescription;
  /** Lines that begin with `-`, `+` or a space. */
  readonly difference: readonly string[];
}

/** How long a decision holds: for this item, until the host closes, or permanently. */
export type Scope = 'once' | 'session' | 'always';

/** The decision of a person about an item. */
export interface Decision {
  /** For a question: true if it is answered. */
  readonly allow: boolean;
  /** Default `once`. Decisions about questions and model responses always hold once. */
  readonly scope?: Scope | undefined;
  /** The reason, which the model or the server receives. */
  readonly reason?: string | undefined;
  /** The filled-in form. */
  readonly content?: Readonly<Record<string, ElicitValue>> | undefined;
  /** The person dismissed the question without answering it. */
  readonly cancel?: boolean | undefined;
  /** The sampling request as the person edited it. */
  readonly request?: SampleParams | undefined;
  /** The model's response as the person edited it. */
  readonly result?: SampleResult | undefined;
  /** Set if no person decided, because asking was impossible or the answer was invalid. `reason` says why. */
  readonly automatic?: true | undefined;
}
